//! Two words → whether one says the opposite of the other.
//!
//! Invariant: only listed pairs count, in every regular inflection of both words.

use std::{collections::BTreeSet, sync::LazyLock};

use vouch_domain::language::words::stem;

/// Words and their opposites; the words after a bar are opposites of each before it. Negations are not among them.
const OPPOSITES: &str = "\
increase raise grow rise rose risen gain|decrease reduce shrink fall fell fallen lower decline drop;
expand|contract shrink; up|down; upward|downward; upper|lower; higher|lower; high|low; highest|lowest;
before|after; earlier|later; early|late; earliest|latest; preceding|following; prior|subsequent; ancient|modern;
old|new young; older|younger newer; oldest|youngest newest;
allow permit authorise authorize let|forbid prohibit ban disallow prevent deny;
allowed permitted|forbidden prohibited banned disallowed; legal|illegal; lawful|unlawful; must|may;
often frequently|rarely seldom; frequent|rare infrequent; usually|rarely seldom; common|rare uncommon;
more|less fewer; most|least fewest; many|few; much|little; first|last; maximum max|minimum min;
maximise maximize|minimise minimize; above over|below under; inside within|outside; include contain|exclude omit;
included|excluded; inclusive|exclusive; including|excluding; accept approve|reject refuse decline deny;
accepted approved|rejected refused declined denied; acceptance approval|rejection refusal; open|closed close shut;
opened|closed; mandatory compulsory required obligatory|optional voluntary; enable activate|disable deactivate;
enabled active|disabled inactive; add|remove subtract delete; added|removed deleted; addition|removal subtraction;
create|destroy delete; build|demolish destroy; start begin began begun commence|end stop finish cease;
starts begins|ends stops; beginning|ending; win won|lose lost; winner|loser; victory|defeat; succeed|fail;
success|failure; successful|unsuccessful; successfully|unsuccessfully; buy bought purchase|sell sold; buyer|seller;
import|export; lend lent|borrow; employer|employee; hire|fire dismiss; teacher|student; parent|child;
mother|father; husband|wife; brother|sister; son|daughter; man|woman; men|women; male|female; boy|girl; king|queen;
uncle|aunt; actor|actress; left|right; north|south; northern|southern; east|west; eastern|western;
northeast|southwest; northwest|southeast; top|bottom; front|back rear; forward forwards|backward backwards;
ahead|behind; near close|far; nearby|distant; long|short; longer|shorter; longest|shortest;
large big huge|small tiny little; larger bigger|smaller; largest biggest|smallest; tall|short; wide broad|narrow;
thick|thin; deep|shallow; heavy|light; heavier|lighter; fast quick rapid|slow; faster quicker|slower;
quickly rapidly|slowly; strong|weak; stronger|weaker; strengthen|weaken; hard difficult|easy; hard|soft;
harder|easier; hot warm|cold cool; hotter warmer|colder cooler; wet|dry; full|empty; rich wealthy|poor;
expensive|cheap inexpensive; good|bad poor; better|worse; best|worst; improve|worsen deteriorate;
positive|negative; positively|negatively; advantage benefit|disadvantage drawback; beneficial|harmful;
safe|dangerous unsafe; secure|insecure; true|false; correct right|incorrect wrong; accurate|inaccurate;
valid|invalid; possible|impossible; able|unable; capable|incapable; likely|unlikely; certain|uncertain;
clear|unclear; known|unknown; famous|obscure; important|unimportant; significant|insignificant;
significantly|insignificantly; necessary|unnecessary; sufficient|insufficient; adequate|inadequate;
complete|incomplete; perfect|imperfect; equal|unequal; similar|different dissimilar; same identical|different;
like|unlike; visible|invisible; direct|indirect; directly|indirectly; dependent|independent; regular|irregular;
reversible|irreversible; stable|unstable; available|unavailable; acceptable|unacceptable; reliable|unreliable;
comfortable|uncomfortable; happy glad|sad unhappy; kind|unkind cruel; friendly|hostile unfriendly;
popular|unpopular; fair|unfair; healthy|unhealthy; aware|unaware; usual|unusual; natural|artificial unnatural;
public|private; internal|external; interior|exterior; inner|outer; local|remote global; domestic|foreign;
national|international; urban|rural; civil|military; permanent|temporary; permanently|temporarily; fixed|variable;
constant|variable; static|dynamic; simple|complex complicated; single|married multiple; singular|plural;
single|double; primary|secondary; major|minor; majority|minority; senior|junior; superior|inferior; odd|even;
whole|partial; fully completely entirely|partially partly; total|partial; general|specific particular;
generally|specifically; formal|informal; official|unofficial; manual|automatic; manually|automatically;
analogue analog|digital; horizontal|vertical; horizontally|vertically; parallel|perpendicular; alive|dead;
live|die; life|death; born|died; birth|death; love|hate; liked|disliked; agree|disagree; agreement|disagreement;
support favour favor|oppose; supported|opposed; supporter|opponent; supporters|opponents; ally|enemy; friend|enemy;
peace|war; attack|defend; attacker|defender; offensive|defensive; guilty|innocent; convict|acquit; arrest|release;
catch caught|release; encourage|discourage; motivate|demotivate; cause|prevent; confirm|deny refute;
prove|disprove; admit|deny; reveal|conceal hide; show|hide; appear|disappear; arrive|depart leave;
arrival|departure; enter|exit leave; entrance|exit; join|leave; give gave given|take took taken; send sent|receive;
sender|receiver recipient; pull|push; connect|disconnect; attach|detach; lock|unlock; encrypt|decrypt;
encode|decode; encrypted|unencrypted; install|uninstall; load|unload; upload|download; online|offline; pass|fail;
passed|failed; remember|forget forgot; keep kept retain|discard; save|spend waste; spend|earn; profit|loss;
surplus|deficit; income|expense; asset|liability; debit|credit; deposit|withdraw; supply|demand; input|output;
read|write; ask|answer; question|answer; accelerate|decelerate; ascend|descend; ascending|descending;
upstairs|downstairs; uphill|downhill; indoor|outdoor; indoors|outdoors; day|night; daily|nightly; morning|evening;
summer|winter; spring|autumn; sunrise|sunset; white|black; bright|dark dim; light|dark; loud|quiet silent;
noisy|quiet; clean|dirty; smooth|rough; sharp|blunt dull; straight|curved crooked; solid|liquid;
acid acidic|alkaline; fresh|stale; raw|cooked; sweet|bitter sour; optimistic|pessimistic; optimist|pessimist;
liberal|conservative; progressive|conservative; democratic|republican; democrat|republican; theory|practice;
theoretical|practical; abstract|concrete; subjective|objective; qualitative|quantitative; voluntary|involuntary;
voluntarily|involuntarily; intentional|accidental unintentional; intentionally|accidentally unintentionally;
deliberate|accidental; honest|dishonest; legitimate|illegitimate; moral|immoral; polite|rude impolite;
patient|impatient; brave|cowardly; calm|nervous; careful|careless; useful|useless; hopeful|hopeless;
painful|painless; harmful|harmless; for|against; present|absent; presence|absence; predecessor|successor;
former|latter current; temporary|permanent; vacant|occupied; abundant|scarce; abundance|scarcity; excess|shortage;
overestimate|underestimate; overweight|underweight; lead|trail; upstream|downstream;
clockwise|counterclockwise anticlockwise; inbound|outbound; incoming|outgoing; benign|malignant; acute|chronic;
voluntary|compulsory; partial|complete total; wired|wireless; paid|unpaid free; employed|unemployed;
employment|unemployment; qualified|unqualified; limited|unlimited; restricted|unrestricted; finished|unfinished;
resolved|unresolved; confirmed|unconfirmed; expected|unexpected; related|unrelated; affected|unaffected;
changed|unchanged; identified|unidentified; published|unpublished; signed|unsigned; supervised|unsupervised;
protected|unprotected; armed|unarmed; conditional|unconditional; conditionally|unconditionally;
consistent|inconsistent; compatible|incompatible; eligible|ineligible; effective|ineffective;
efficient|inefficient; appropriate|inappropriate; convenient|inconvenient; experienced|inexperienced;
finite|infinite; mature|immature; mobile|immobile; mortal|immortal; organic|inorganic; rational|irrational;
relevant|irrelevant; responsible|irresponsible; satisfied|dissatisfied; sensitive|insensitive; tolerant|intolerant";

static PAIRS: LazyLock<BTreeSet<(String, String)>> = LazyLock::new(|| {
    let mut pairs = BTreeSet::new();
    for entry in OPPOSITES.split(';') {
        let Some((left, right)) = entry.trim().split_once('|') else { continue };
        for one in left.split(' ') {
            for other in right.split(' ') {
                for (one, other) in [(one.to_owned(), other.to_owned()), (stem(one), stem(other))] {
                    pairs.insert((other.clone(), one.clone()));
                    pairs.insert((one, other));
                }
            }
        }
    }
    pairs
});

/// Whether two lower-case words are opposites.
pub(super) fn are_opposite(one: &str, other: &str) -> bool {
    let stems = (stem(one), stem(other));
    // Words that fall together in their stem ("universe", "university") are no opposites of each other's.
    stems.0 != stems.1 && PAIRS.contains(&stems)
}

/// Whether a lower-case word has an opposite at all.
pub(super) fn has_opposite(word: &str) -> bool {
    let stem = stem(word);
    PAIRS.range((stem.clone(), String::new())..).next().is_some_and(|(first, _)| *first == stem)
}

#[cfg(test)]
mod tests {
    use super::{OPPOSITES, are_opposite};

    #[test]
    fn the_list_holds_at_least_two_hundred_pairs() {
        assert!(OPPOSITES.split(';').count() >= 200);
    }

    #[test]
    fn inflections_of_a_pair_are_opposite_and_a_word_is_not_its_own() {
        for (one, other) in [("increased", "decreasing"), ("allows", "forbids"), ("forbidden", "permitted")] {
            assert!(are_opposite(one, other), "{one} {other}");
        }
        for (one, other) in [("increase", "increases"), ("rope", "lamp"), ("", "")] {
            assert!(!are_opposite(one, other), "{one} {other}");
        }
    }
}
