"""Altered and kept sentences and questions, as training rows for a small judge.

The judge reads a passage and a claim (or a question) and says whether the
passage supports the claim (or answers the question).  This module makes

* ``alter_sentence``: a supported sentence with one thing changed, so that the
  passage no longer supports it;
* ``keep_sentence``: a supported sentence reworded harmlessly, so that the judge
  does not learn that every difference from the passage means "unsupported";
* ``alter_question``: an answerable question changed so that it still looks
  answerable from the passage and no longer is.

All of it is done with word lists and rules; nothing is parsed in earnest.  The
rules would rather skip a sentence than write a broken one.  All randomness
comes from the ``random.Random`` that is passed in.  The studied form of a
passage is cached, so it pays to handle the sentences of one passage in a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from random import Random

CONTRADICT, NEUTRAL = "contradict", "neutral"

# --------------------------------------------------------------------------
# Word lists: function words
# --------------------------------------------------------------------------


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DETERMINERS = _words("the a an his her its their our your my this that these those each every some any no")
ARTICLES = _words("the a an his her its their our your my this these those")
PREPOSITIONS = _words(
    "of in on at by for from to with without into onto over under between among through throughout across against "
    "during before after since until toward towards upon about around near behind beyond beside below above within "
    "as than like via per along amid despite except outside inside off out up down"
)
SUBORDINATORS = _words(
    "which who whom whose that when while where if because although though unless whether since after before until as "
    "what how why than once whereas wherever whenever"
)
PRONOUNS = _words("he she it they we i you who which that this these those there him her them us me one")
SUBJECTS = _words("he she it they we i you who which")
BE = _words("is are was were am")
MODALS = _words("can could will would shall should may might must")
HAVE = _words("has have had")
DO = _words("do does did")
AUX = BE | MODALS | HAVE | DO | _words("be been being")
NEGATIVES = _words("not never no none neither nor cannot nothing nobody without hardly barely rarely nowhere")
CONJUNCTIONS = _words("and or but nor so yet")
ADVERBS = _words(
    "also often usually always never sometimes still only just even then now already soon again later once thus "
    "therefore however very too quite rather almost nearly about more most less least well much far ever perhaps "
    "together instead first not further there here not so as how"
)
STOP = (
    DETERMINERS | PREPOSITIONS | SUBORDINATORS | PRONOUNS | AUX | NEGATIVES | CONJUNCTIONS | ADVERBS
    | _words("'s s t such own same other another both all most many few several more less own its i'm it's etc")
)
# Words that open a sentence with a capital and are no names.
OPENERS = STOP | _words(
    "additionally according although among another because beginning beside besides both certain despite during "
    "early either eventually every finally following for furthermore given hence if including initially instead "
    "late later likewise many meanwhile modern moreover most much nevertheless nonetheless numerous on once one "
    "originally other others overall part people please previously prior recent recently several shortly similarly "
    "since some specifically subsequently such today together traditionally two three four five six seven eight "
    "nine ten typically under unlike unlikely until upon usually various whereas while with within yet yes mr mrs "
    "ms dr all any each even examples example use using users click see note note: no not our your my "
    "what who when where why how which whose whom information data however thus therefore indeed currently "
    "generally often sometimes perhaps well first second third last next then there here by to as at in of from "
    "over after before about above across along around between through throughout chapter section figure table"
)
MONTHS = "January February March April May June July August September October November December".split()
MONTH_SET = frozenset(MONTHS)
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
WEEKDAY_SET = frozenset(WEEKDAYS)
SEASONS = "spring summer autumn winter".split()

# --------------------------------------------------------------------------
# Word lists: names
# --------------------------------------------------------------------------

GIVEN = _words(
    "Adam Albert Alexander Alfred Alice Amy Andrew Anna Anne Anthony Arthur Barack Barbara Benjamin Bernard Bill Bob "
    "Brian Bruce Carl Carol Catherine Charles Charlotte Chris Christopher Claire Claude Daniel David Dennis Diana "
    "Donald Dorothy Douglas Edgar Edmund Edward Edwin Eleanor Elizabeth Ellen Emily Emma Eric Ernest Eugene Eva "
    "Francis Frank Franklin Fred Frederick Friedrich Gary George Gerald Gordon Grace Hannah Hans Harold Harry Heinrich "
    "Helen Henry Herbert Howard Hugh Isaac Jack Jacob Jacques James Jane Jason Jean Jeff Jennifer Jeremy Jerry Jessica "
    "Jim Joan Joe Johann John Jonathan Joseph Joshua Juan Julia Julian Karen Karl Kate Keith Kenneth Kevin Kim Larry "
    "Laura Lawrence Leo Leon Leonard Lewis Linda Lisa Louis Louise Lucy Ludwig Luis Margaret Maria Marie Mark Martha "
    "Martin Mary Matthew Max Michael Miguel Mohammed Muhammad Nancy Napoleon Neil Nicholas Nicolas Oliver Oscar Otto "
    "Patricia Patrick Paul Pedro Peter Philip Pierre Rachel Ralph Raymond Rebecca Richard Robert Roger Roland Ronald Rosa "
    "Roy Russell Ruth Ryan Sam Samuel Sandra Sara Sarah Scott Sean Simon Sophia Stanley Stephen Steve Steven Stuart "
    "Susan Theodore Thomas Tim Timothy Tom Tony Victor Victoria Vincent Walter Wilhelm William Winston Wolfgang"
)
TITLES = _words(
    "mr mrs ms dr sir lord lady president king queen emperor pope prince princess professor general captain colonel "
    "saint st chancellor minister senator governor mayor bishop archbishop judge justice duke earl count author singer "
    "actor actress director composer writer philosopher historian economist physicist scientist coach rapper producer"
)
ORG_HEADS = _words(
    "University College School Institute Company Corporation Inc Ltd Group Bank Church Party League Association Union "
    "Committee Council Commission Agency Department Ministry Court Congress Parliament Senate Museum Library Society "
    "Foundation Center Centre Hospital Club Records Press Times Post Airlines Airways Army Navy Force Guard Network "
    "Organization Organisation Academy Orchestra Studio Studios Entertainment Systems Technologies Service Services"
)
PLACE_HEADS = _words(
    "City County State States Kingdom Republic Empire River Lake Sea Ocean Island Islands Mountain Mountains Valley Bay "
    "Street Avenue Road Park Square Province District Peninsula Desert Coast Hill Hills Beach Bridge Airport Station "
    "Palace Castle Cathedral Building Tower Hall Stadium Gulf Strait Canal Village Town Harbor Harbour"
)
PLACE_PREPOSITIONS = _words("in near throughout across outside inside around")
OF_HEADS = ORG_HEADS | PLACE_HEADS | _words(
    "House Battle Treaty Duke Duchess King Queen Prince Bishop Archbishop Earl Lord Secretary Board Chamber Gulf "
    "Declaration Act Siege Isle Cape Mount Book Gospel Statue Order Bureau Office Field Fields Hall Temple"
)
DEMONYM = re.compile(
    r"(?:[a-z]{2,}(?:ish|ese)|[a-z]{2,}(?:ian|ean)|american|african|mexican|german|roman|korean|cuban|french|dutch|greek|"
    r"swiss|thai|czech|arab|arabic|turk|iraqi|israeli|pakistani|afghan|tibetan|catholic|protestant|muslim|islamic|jewish|"
    r"anglican|lutheran|orthodox|republican|democratic|soviet|nazi|welsh|celtic|slavic|nordic|baltic|victorian|latin)$"
)
NOT_DEMONYM = _words("english-language christian-era brian adrian julian ian ocean vivian lilian sebastian fabian")

# --------------------------------------------------------------------------
# Word lists: verbs
# --------------------------------------------------------------------------

# base past participle
IRREGULAR_ROWS = """
arise arose arisen|awake awoke awoken|bear bore borne|beat beat beaten|become became become|begin began begun
bend bent bent|bind bound bound|bite bit bitten|blow blew blown|break broke broken|breed bred bred|bring brought brought
broadcast broadcast broadcast|build built built|burn burned burned|buy bought bought|catch caught caught
choose chose chosen|come came come|cost cost cost|cut cut cut|deal dealt dealt|dig dug dug|draw drew drawn
drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed fed|feel felt felt|fight fought fought
find found found|flee fled fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten|freeze froze frozen
get got got|give gave given|go went gone|grow grew grown|hang hung hung|have had had|hear heard heard|hide hid hidden
hit hit hit|hold held held|hurt hurt hurt|keep kept kept|know knew known|lay laid laid|lead led led|leave left left
lend lent lent|let let let|lie lay lain|lose lost lost|make made made|mean meant meant|meet met met|overcome overcame overcome
overthrow overthrew overthrown|pay paid paid|put put put|read read read|ride rode ridden|ring rang rung|rise rose risen
run ran run|say said said|see saw seen|seek sought sought|sell sold sold|send sent sent|set set set|shake shook shaken
shoot shot shot|show showed shown|shrink shrank shrunk|shut shut shut|sing sang sung|sink sank sunk|sit sat sat
sleep slept slept|speak spoke spoken|spend spent spent|split split split|spread spread spread|stand stood stood
steal stole stolen|stick stuck stuck|strike struck struck|swear swore sworn|swim swam swum|take took taken
teach taught taught|tear tore torn|tell told told|think thought thought|throw threw thrown|undergo underwent undergone
understand understood understood|undertake undertook undertaken|wear wore worn|win won won|withdraw withdrew withdrawn
write wrote written|rewrite rewrote rewritten|rebuild rebuilt rebuilt|oversee oversaw overseen|foresee foresaw foreseen
uphold upheld upheld|withstand withstood withstood|mistake mistook mistaken|outgrow outgrew outgrown
"""
IRREGULAR = {
    base: (past, part)
    for base, past, part in (row.split() for row in IRREGULAR_ROWS.replace("\n", "|").split("|") if row.strip())
}
BASE_OF_PAST = {past: base for base, (past, _) in IRREGULAR.items() if past not in (base, "lay", "found", "bound", "left")}
BASE_OF_PAST |= {"left": "leave", "found": "find"}
PARTICIPLES = frozenset(part for _, part in IRREGULAR.values()) | {"been", "done"}
PARTICIPLE_ONLY = frozenset(part for past, part in IRREGULAR.values() if part != past) - frozenset(IRREGULAR)

COMMON_VERBS = _words(
    "accept achieve acquire act add adopt affect agree aim allow announce appear apply appoint argue arrive ask assist "
    "assume attack attempt attend attract base believe belong build call cancel carry cause cease challenge change "
    "charge claim collect combine come compete complete compose comprise conduct confirm connect consider consist "
    "constitute contain continue contribute control convert cover create criticize cross cut debut decide declare "
    "decline defeat defend define deliver demand deny depend derive describe design destroy determine develop die differ "
    "disclose discover discuss display divide dominate earn elect emerge employ enable encounter encourage end enjoy "
    "ensure enter establish estimate exceed exist expand expect experience explain export express extend face fail feature "
    "finish focus follow force form found function gain gather generate govern graduate guarantee handle happen help host "
    "identify ignore implement import improve include increase indicate influence inform inherit inspire install intend "
    "introduce invade invent invest invite involve issue join kill lack last launch learn lie limit link live locate look "
    "love maintain manage mark marry match measure mention merge migrate move name need note obtain occupy occur offer open "
    "operate oppose order organize originate own participate pass perform permit persuade place plan play possess "
    "praise predict prefer prepare present preserve prevent process produce prohibit promise promote propose protect prove "
    "provide publish pursue raise range reach receive recognize recommend record reduce refer reflect refuse reject relate "
    "release rely remain remove replace report represent request require reside resign resist result retain retire return "
    "reveal rule score seem separate serve settle share sign spread stay stop store strengthen study succeed suffer suggest "
    "support suppress surrender survive tend threaten track trade train transfer transform transmit travel treat try turn "
    "use value vary view visit vote want warn watch weaken work"
) | frozenset(IRREGULAR)
# Verbs whose third person is safely told from a plural noun.
THIRD_VERBS = _words(
    "contain include provide require allow consist appear become remain receive represent produce believe serve "
    "occur involve exist describe offer possess belong refer apply depend govern enable comprise seem tend continue lie "
    "collect maintain operate employ participate encourage protect retain disclose recognize maintain cover "
    "prohibit prevent affect lack generate indicate derive differ discuss constitute grow live speak teach "
    "know own hold keep sell send give take make come go get say see use need want work help"
)
E_EXCEPTIONS = {
    "focused": "focus", "biased": "bias", "benefited": "benefit", "belonged": "belong", "hanged": "hang", "longed": "long",
    "controlled": "control", "patrolled": "patrol", "excelled": "excel", "propelled": "propel", "compelled": "compel",
    "expelled": "expel", "enrolled": "enroll", "travelled": "travel", "cancelled": "cancel", "labelled": "label",
    "modelled": "model", "repelled": "repel", "died": "die", "lied": "lie", "tied": "tie", "agreed": "agree", "freed": "free",
    "guaranteed": "guarantee", "disagreed": "disagree", "programmed": "program", "added": "add", "quizzed": "quiz",
    "visited": "visit", "limited": "limit", "edited": "edit", "inherited": "inherit", "exhibited": "exhibit",
    "credited": "credit", "profited": "profit", "deposited": "deposit", "prohibited": "prohibit", "inhabited": "inhabit",
    "suited": "suit", "recruited": "recruit", "audited": "audit", "exploited": "exploit", "merited": "merit", "orbited": "orbit",
    "targeted": "target", "marketed": "market", "interpreted": "interpret", "budgeted": "budget", "rocketed": "rocket",
    "developed": "develop", "enveloped": "envelop", "gossiped": "gossip", "worshiped": "worship", "sponsored": "sponsor",
    "authored": "author", "honored": "honor", "favored": "favor", "mirrored": "mirror", "monitored": "monitor", "anchored": "anchor",
    "labored": "labor", "toured": "tour", "poured": "pour", "soared": "soar", "roared": "roar", "pivoted": "pivot", "piloted": "pilot",
    "combated": "combat", "chatted": "chat", "loaded": "load", "abandoned": "abandon", "summoned": "summon", "questioned": "question",
    "postponed": "postpone", "toned": "tone", "cloned": "clone", "adhered": "adhere", "interfered": "interfere", "revered": "revere",
    "persevered": "persevere", "referred": "refer", "transferred": "transfer", "used": "use", "owed": "owe", "eyed": "eye",
    "dyed": "dye", "aged": "age", "heralded": "herald", "upset": "upset", "ceded": "cede", "conceded": "concede", "preceded": "precede",
    "receded": "recede", "seceded": "secede", "impeded": "impede", "superseded": "supersede", "judged": "judge", "canceled": "cancel",
    "modeled": "model", "traveled": "travel", "labeled": "label", "fueled": "fuel", "signaled": "signal", "rivaled": "rival",
    "totaled": "total", "equaled": "equal", "pedaled": "pedal", "appealed": "appeal", "tasted": "taste", "wasted": "waste",
    "pasted": "paste", "hastened": "hasten", "pushed": "push", "welcomed": "welcome", "overcomed": "overcome", "blossomed": "blossom",
    "customed": "custom", "ransomed": "ransom", "outlived": "outlive", "answered": "answer", "vetoed": "veto", "echoed": "echo",
    "bathed": "bathe", "breathed": "breathe", "clothed": "clothe", "argued": "argue", "sued": "sue", "sentenced": "sentence",
    "purchased": "purchase", "chased": "chase", "bombed": "bomb", "climbed": "climb", "described": "describe", "shaped": "shape",
    "typed": "type", "doped": "dope", "hoped": "hope", "coped": "cope", "scoped": "scope", "coded": "code", "exploded": "explode",
    "eroded": "erode", "corroded": "corrode", "traded": "trade", "invaded": "invade", "persuaded": "persuade", "graded": "grade",
    "faded": "fade", "evaded": "evade", "upgraded": "upgrade", "degraded": "degrade", "blockaded": "blockade", "paraded": "parade",
}
# Stems that lost an "e" before "-ed".
E_ENDINGS = re.compile(
    "(?:"
    + "|".join(
        (
            r"[vcuz]", r"[^s]s", r"[^aeioulr]l", r"dg", r"[aeiourl]g", r"[ae]ng", r"[rc]ing", r"(?<![eo])at", r"creat", r"(?<!u)ut",
            r"[cvgn]it", r"ot", r"[lp]et", r"(?<!e)ar", r"(?<!a)ir", r"(?<!o)ur", r"[lnt]or(?<!itor)(?<!utor)", r"(?<![ao])id", r"(?<!o)ud",
            r"(?<![eo])ak", r"(?<!o)ok", r"(?<![aeo])ik", r"uk", r"(?<![aoe])in", r"un", r"(?<![ao])il", r"(?<!o)ul", r"(?<!e)am",
            r"(?<!a)im", r"um", r"(?<!e)ap", r"ib", r"ub",
        )
    )
    + ")$"
)
DOUBLING = _words(
    "stop plan drop permit admit commit submit refer prefer occur control ban cut ship trap rob beg equip regret omit "
    "transfer compel expel propel rebel patrol fit knit slip strip grab drag stab wed span spot plot step chat"
)


@lru_cache(maxsize=8192)
def base_of(past: str) -> str | None:
    """The base form of a past tense, or None where it looks like none."""
    if past in BASE_OF_PAST:
        return BASE_OF_PAST[past]
    if past in E_EXCEPTIONS:
        return E_EXCEPTIONS[past]
    if len(past) < 5 or not past.endswith("ed") or not past.isalpha() or past.endswith("eed"):
        return None
    stem = past[:-2]
    if stem in COMMON_VERBS:
        return stem
    if past[:-1] in COMMON_VERBS:
        return past[:-1]
    if stem.endswith("i"):
        return stem[:-1] + "y"
    if stem[-1] == stem[-2] and stem[-1] not in "lsfzeo":
        return stem[:-1]
    if E_ENDINGS.search(stem):
        return stem + "e"
    return stem


def past_of(base: str) -> str:
    if base in IRREGULAR:
        return IRREGULAR[base][0]
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return base[:-1] + "ied"
    if base in DOUBLING:
        return base + base[-1] + "ed"
    return base + "ed"


def participle_of(base: str) -> str:
    return IRREGULAR[base][1] if base in IRREGULAR else past_of(base)


def third_of(base: str) -> str:
    if base == "have":
        return "has"
    if base.endswith(("s", "sh", "ch", "x", "z", "o")):
        return base + "es"
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def ing_of(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "ye", "oe")):
        return base[:-1] + "ing"
    if base in DOUBLING or base in ("win", "begin", "get", "put", "set", "run", "sit", "forget", "dig", "forbid", "let", "hit", "split"):
        return base + base[-1] + "ing"
    return base + "ing"


plural_of = third_of
BASE_OF_THIRD = {third_of(base): base for base in THIRD_VERBS}

# --------------------------------------------------------------------------
# Word lists: opposites
# --------------------------------------------------------------------------

OPPOSITE_VERBS = """
increase decrease|increase reduce|rise fall|grow shrink|gain lose|win lose|accept reject|allow forbid|permit prohibit
begin end|start stop|open close|enter leave|arrive depart|buy sell|purchase sell|import export|include exclude
support oppose|love hate|remember forget|succeed fail|raise lower|strengthen weaken|expand shrink|build demolish
create destroy|attack defend|encourage discourage|enable prevent|connect disconnect|appear disappear|join leave
agree disagree|approve reject|praise criticize|improve worsen|lengthen shorten|widen narrow|add remove|attach detach
borrow lend|push pull|ascend descend|advance retreat|hire dismiss|reveal conceal|show hide
accelerate decelerate|maximize minimize|unite divide|merge split|confirm deny|acquire sell
appoint dismiss|promote demote|activate deactivate|retain delete|store delete|send receive|give take|teach learn
precede follow|inhale exhale|absorb emit|freeze melt|heat cool|tighten loosen|lock unlock|install uninstall
encrypt decrypt|upload download|subscribe unsubscribe|legalize ban|nationalize privatize|centralize decentralize
protect endanger|help hinder|welcome shun|adopt abandon|continue cease|establish abolish|found dissolve|launch cancel
deposit withdraw|invade liberate|persuade dissuade|trust distrust|obey disobey|inflate deflate
assemble dismantle|overestimate underestimate|flourish decline|preserve destroy
"""
OPPOSITE_NOUNS = """
majority minority|husband wife|father mother|son daughter|brother sister|king queen|prince princess|uncle aunt|boy girl
grandfather grandmother|grandson granddaughter|nephew niece|advantage disadvantage|success failure|victory defeat
strength weakness|entrance exit|arrival departure|buyer seller|teacher student|employer employee|ancestor descendant
predecessor successor|winner loser|import export|profit loss|summer winter|morning evening|birth death|surplus deficit
ally enemy|landlord tenant|lender borrower|sender recipient|increase decrease|expansion contraction
presence absence|benefit drawback|opponent supporter|critic admirer|optimist pessimist|attacker defender|hero villain
creation destruction|strengthening weakening|improvement deterioration|acceptance rejection|approval rejection
inclusion exclusion|encouragement discouragement|beginning end|introduction abolition|construction demolition
producer consumer|creditor debtor|guest host|amateur professional|actor actress|duke duchess|emperor empress
protagonist antagonist|heat cold|wealth poverty|war peace|growth decline|acquisition sale|attack defence
permission prohibition|agreement disagreement|ability inability|stability instability|equality inequality
"""
OPPOSITE_OTHERS = """
before after|above below|inside outside|northern southern|eastern western|north south|east west|northeast southwest
northwest southeast|largest smallest|larger smaller|large small|big small|bigger smaller|biggest smallest|highest lowest
higher lower|high low|longest shortest|longer shorter|oldest youngest|older younger|older newer|old new|older newer|earliest latest
earlier later|early late|best worst|better worse|strongest weakest|stronger weaker|strong weak|fastest slowest|faster slower
fast slow|richest poorest|richer poorer|rich poor|heaviest lightest|heavier lighter|heavy light|widest narrowest|wider narrower
wide narrow|deepest shallowest|deeper shallower|deep shallow|hottest coldest|hotter colder|hot cold|warmer cooler|warm cool
thickest thinnest|thicker thinner|thick thin|nearest farthest|closer farther|first last|greatest smallest|greater smaller
greater lesser|most least|more less|more fewer|always never|often rarely|frequently rarely|usually rarely|sometimes never
everyone nobody|everything nothing|everywhere nowhere|somebody nobody|without with|internal external|internally externally
public private|publicly privately|domestic foreign|major minor|primary secondary|senior junior|male female|rural urban|ancient modern
positive negative|positively negatively|legal illegal|legally illegally|possible impossible|likely unlikely|similar different
same opposite|common rare|commonly rarely|popular unpopular|successful unsuccessful|successfully unsuccessfully
important unimportant|necessary unnecessary|safe dangerous|safer riskier|expensive cheap|easy difficult|easier harder
easily hardly|simple complex|complete incomplete|correct incorrect|correctly incorrectly|accurate inaccurate|active inactive
active passive|official unofficial|officially unofficially|formal informal|direct indirect|directly indirectly|permanent temporary
permanently temporarily|voluntary compulsory|optional mandatory|optional required|dependent independent|equal unequal
stable unstable|visible invisible|known unknown|well-known little-known|famous obscure|aware unaware|able unable|willing unwilling
wet dry|full empty|alive dead|dark bright|soft hard|liquid solid|natural artificial|civilian military|liberal conservative
progressive conservative|left-wing right-wing|democratic authoritarian|guilty innocent|friendly hostile|peaceful violent
peacefully violently|united divided|broad narrow|maximum minimum|maximal minimal|upper lower|top bottom|front rear
former current|previous next|previously subsequently|initially eventually|temporary permanent|short-term long-term
partly wholly|partially fully|entirely partly|completely partially|widely rarely|mainly rarely|mostly hardly|rapidly slowly
quickly slowly|suddenly gradually|immediately eventually|strongly weakly|heavily lightly|highly barely|well poorly|simultaneously separately
jointly separately|together separately|exclusive shared|single multiple|regular irregular|regularly irregularly|even odd
vertical horizontal|vertically horizontally|upward downward|upwards downwards|forward backward|clockwise counterclockwise
inland coastal|tropical polar|maternal paternal|mortal immortal|sweet bitter|sharp blunt|smooth rough|clean dirty|cheaper costlier
cheapest costliest|profitable unprofitable|reliable unreliable|effective ineffective|efficient inefficient|sufficient insufficient
adequate inadequate|appropriate inappropriate|acceptable unacceptable|consistent inconsistent|favorable unfavorable|controversial uncontroversial
religious secular|theoretical practical|abstract concrete|global local|nationwide locally|worldwide locally|abundant scarce|fertile barren
eligible ineligible|valid invalid|encrypted unencrypted|authorized unauthorized|identifiable anonymous|men women|man woman
children adults|child adult|nobles peasants|prohibited permitted|married unmarried|born buried|pro-democracy anti-democracy
unsuccessful successful|wealthy poor|wealthier poorer|poorly well|busiest quietest|simplest hardest|newest oldest|hardest easiest
literate illiterate|armed unarmed|populous sparse|urbanized rural|winning losing|increasing decreasing|rising falling|growing shrinking
"""
# A following or preceding word that shows another sense; such a hit is left alone.
OPPOSITE_SKIP_NEXT = {
    "more": _words("or and recently importantly specifically"), "most": _words("of notably people recently"), "well": _words("as"),
    "like": _words("the"), "first": _words("and"), "light": _words("of"), "end": _words("up of"), "same": _words("time way"),
    "show": _words("business"), "found": _words("in that to the a by on at"), "even": STOP | _words("though if when"),
    "hard": _words("to"), "left": _words("and or wing of hand"), "rose": _words("garden"),
    "close": _words("to"), "fall": _words("of"), "open": _words("source"), "high": _words("school schools court"), "higher": _words("education"),
    "old": _words("testament age"), "following": _words("the a this his her"),
    "single": _words("player"), "front": _words("of"), "public": _words("domain"), "top": _words("of"),
}
OPPOSITE_SKIP_PREVIOUS = {
    "more": _words("no any once"), "most": _words("at the"), "first": _words("at was were is are and first been be"), "end": _words("the in west east an no"),
    "found": _words("be been is are was were can"), "same": _words("the"), "light": _words("of the"), "well": _words("as very"), 
    "last": _words("to at"), "least": _words("at"), "left": _words("the on was were is are"), "rose": _words("a the"),
    "fall": _words("the of"), "general": _words("in"), "close": _words("to"), "short": _words("in"), "front": _words("in"),
    "early": _words("as"), "later": _words("or"), "open": _words("the"),
    "support": _words("the of for its their his and strong"), "show": _words("the a his her television tv radio"), "attack": _words("the an of"),
    "love": _words("of in the"), "help": _words("the with"), "following": _words("the"), "known": _words("is are was were also best as been be well"),
    "start": _words("the a"), "store": _words("the a"), "stores": _words("the"), "shows": _words("the tv"), "single": _words("a the second first lead debut every"),
    "host": _words("the a"), "united": _words("the"), "lower": _words("to"),
}
# The opposites that only make sense one way round.
ONE_WAY = _words(
    "conservative poor hard obscure locally wholly eventually barely hardly opposite quietest sparse nobody nothing "
    "nowhere never rarely newer with lightly cool cold adults peasants shared current buried take sold sell sells selling fall "
    "leave leaves leaving left end ends cool cools lower lowers lowered narrow narrows lend split splits lost learn learned follow followed "
    "hide hid last found founds founded founding dissolve close closed store stores cold welcome welcomed help helped save saved even second "
    "single bottom top rear front separately help like open decline"
)


def _rows(text: str) -> Iterator[tuple[str, str]]:
    for row in text.replace("\n", "|").split("|"):
        if row.strip():
            one, other = row.split()
            yield one, other


def _opposites() -> dict[str, tuple[tuple[str, str], ...]]:
    """word -> ((slot, opposite), …); slot tells a past tense from a participle."""
    table: dict[str, list[tuple[str, str]]] = {}

    def put(one: str, slot: str, other: str) -> None:
        if one != other and (slot, other) not in table.setdefault(one, []):
            table[one].append((slot, other))

    for a, b in _rows(OPPOSITE_VERBS):
        for one, other in ((a, b), (b, a)):
            if one in ONE_WAY and one != a:
                continue
            put(one, "base", other)
            put(third_of(one), "third", third_of(other))
            put(ing_of(one), "ing", ing_of(other))
            put(past_of(one), "past", past_of(other))
            put(participle_of(one), "part", participle_of(other))
    for a, b in _rows(OPPOSITE_NOUNS):
        for one, other in ((a, b), (b, a)):
            put(one, "noun", other)
            put(plural_of(one), "nouns", plural_of(other))
    for a, b in _rows(OPPOSITE_OTHERS):
        put(a, "", b)
        if b not in ONE_WAY:
            put(b, "", a)
    return {word: tuple(entries) for word, entries in table.items()}


OPPOSITES = _opposites()
SUPERLATIVES = {
    word: other
    for a, b in _rows(OPPOSITE_OTHERS)
    if a.endswith("est") and b.endswith("est") or (a, b) in (("best", "worst"), ("most", "least"))
    for word, other in ((a, b), (b, a))
}

# --------------------------------------------------------------------------
# Word lists: numbers, units, synonyms, phrases
# --------------------------------------------------------------------------

SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
SPELLED = {word: value for value, word in enumerate(SMALL)} | TENS
SPELLED |= {f"{t}-{SMALL[u]}": v + u for t, v in TENS.items() for u in range(1, 10)}
SPELLING = {value: word for word, value in SPELLED.items()}
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
SCALES = ["hundred", "thousand", "million", "billion", "trillion"]

UNIT_GROUPS = [
    "second minute hour day week month year decade", "century decade", "kilometer mile", "kilometre mile", "km miles", "meter foot", "metre foot",
    "kilogram pound", "kg lb", "gram ounce", "ton kilogram", "tonne kilogram", "gallon liter", "inch centimeter", "acre hectare",
    "dollar euro", "pound dollar", "yard mile", "mm cm", "MB GB", "degree percent", "MW kW",
]
PLURAL_UNITS = {"foot": "feet", "inch": "inches", "century": "centuries"}
INVARIANT_UNITS = _words("km miles kg lb mm cm MB GB MW kW percent")


def _units() -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for group in UNIT_GROUPS:
        names = group.split()
        for number in (0, 1):
            forms = [n if number == 0 or n in INVARIANT_UNITS else PLURAL_UNITS.get(n, n + "s") for n in names]
            for i, form in enumerate(forms):
                near = [f for j, f in enumerate(forms) if f != form and abs(i - j) <= 2]
                table.setdefault(form, []).extend(n for n in near if n not in table[form])
    del table["degree"], table["degrees"]
    table["percent"] = ["percentage points"]
    return {unit: tuple(others) for unit, others in table.items()}


UNITS = _units()
RATES = {
    "daily": ("weekly", "monthly"), "weekly": ("daily", "monthly"), "monthly": ("weekly", "yearly"), "yearly": ("monthly", "weekly"),
    "annually": ("monthly", "weekly"), "annual": ("monthly", "weekly"), "hourly": ("daily", "weekly"), "quarterly": ("monthly", "yearly"),
}

SYNONYM_VERBS = """
begin start|purchase buy|assist help|create make|show demonstrate|receive get|require need|finish complete|obtain get
construct build|select choose|permit allow|gather collect|employ use|utilize use|happen occur|attempt try|reside live
commence begin|cease stop|acquire obtain|enlarge expand|reply respond|modify change|alter change|discover find
display show|depict portray|aid help|retain keep|preserve conserve|assert claim|conclude end|demand insist|broaden widen
demolish destroy|donate give|ensure guarantee|enhance improve|establish create|inform notify|initiate start|injure hurt
investigate examine|mention note|observe notice|perish die|possess own|provide supply|remain stay|renovate refurbish
repair fix|request seek|reveal disclose|separate divide|shrink contract|shatter smash|terminate end|transform convert
transmit send|vanish disappear|relocate move|instruct teach|prohibit forbid|oversee supervise|halt stop|resemble mirror
"""
SYNONYM_NOUNS = """
film movie|car automobile|physician doctor|attorney lawyer|error mistake|advantage benefit
buyer purchaser|storm tempest|shop store|illness disease|residence home|portion part|method approach|occupation job
author writer|monarch sovereign|fee charge|border frontier|salary wage|inhabitant resident|conflict dispute|kid child
reply response|journey trip|concept idea|fighter combatant|victory triumph|battle fight|disaster catastrophe|sickness illness
creator maker|citizen national|vessel ship|woods forest|location place|characteristic feature|component part
"""
SYNONYM_OTHERS = """
big large|huge enormous|tiny minuscule|quick fast|quickly rapidly|rapid fast|important significant|famous well-known|famous renowned
near close|entire whole|entirely completely|wholly entirely|mainly primarily|mostly mainly|usually normally|commonly frequently
often frequently|rarely seldom|nearly almost|roughly approximately|approximately about|around approximately|however nevertheless
also additionally|therefore thus|although though|while whereas|until till|since because|due owing|initially originally|previously formerly
subsequently later|afterwards afterward|eventually ultimately|currently presently|presently now|annually yearly|annual yearly
numerous many|various diverse|difficult hard|easy simple|wealthy rich|silent quiet|smart intelligent|correct right|incorrect wrong
buildings structures|additional extra|additional further|sufficient enough|adequate sufficient|principal main|chief main|primary main
crucial vital|essential vital|initial first|final last|contemporary modern|ancient old|broad wide|vast huge|powerful strong|wholly fully
solely only|merely only|particularly especially|specifically explicitly|simultaneously concurrently|immediately instantly|nowadays today
maybe perhaps|probably likely|upon on|amongst among|whilst while|towards toward|within inside|beneath under|near beside
deadly lethal|damp moist|empty vacant|evil wicked|fortunate lucky|frequent common|glad happy|harmful damaging|identical same
odd strange|peculiar strange|rich affluent|sad unhappy|safe secure|sick ill|stable steady|unusual uncommon|yearly annual|well-known famous
prior earlier|distinct separate|extensively widely|regularly routinely|gradually slowly|partly partially|successfully effectively
"""
# Pairs that hold only one way, or that other words around them would break.
SYNONYM_ONE_WAY = _words(
    "about close about since hard right main first last old only now under inside beside on same likely get make need use notice "
    "note change end part national store charge seek mirror fix hurt contract smash stay own fight job place feature later late approach "
    "further extra rich strong small thus today fast likely earlier separate slowly effectively common enough give live keep move "
    "find die claim insist try divide happy damaging ill supply sold send show wide right writer child explicitly because till "
    "idea maker home goal many owing wrong whole simple begin start"
)


def _synonyms() -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}

    def put(one: str, other: str) -> None:
        if one != other and other not in table.setdefault(one, []):
            table[one].append(other)

    for a, b in _rows(SYNONYM_VERBS):
        for one, other in ((a, b), (b, a)):
            if one == b and b in SYNONYM_ONE_WAY and (a, b) != ("begin", "start"):
                continue
            put(one, other)
            put(third_of(one), third_of(other))
            put(ing_of(one), ing_of(other))
            if past_of(one) == participle_of(one) and past_of(other) == participle_of(other):
                put(past_of(one), past_of(other))
    for a, b in _rows(SYNONYM_NOUNS):
        for one, other in ((a, b), (b, a)):
            if one == b and b in SYNONYM_ONE_WAY:
                continue
            put(one, other)
            put(plural_of(one), plural_of(other) if other != "child" else "children")
    for a, b in _rows(SYNONYM_OTHERS):
        put(a, b)
        if b not in SYNONYM_ONE_WAY:
            put(b, a)
    for word in ("since", "due", "close", "near", "right", "building", "remaining", "also", "around", "however", "upon"):
        table.pop(word, None)
    return {word: tuple(others) for word, others in table.items() if others}


SYNONYMS = _synonyms()

CONTRACTIONS = [
    ("is not", "isn't"), ("are not", "aren't"), ("was not", "wasn't"), ("were not", "weren't"), ("do not", "don't"), ("does not", "doesn't"),
    ("did not", "didn't"), ("has not", "hasn't"), ("have not", "haven't"), ("had not", "hadn't"), ("will not", "won't"), ("would not", "wouldn't"),
    ("cannot", "can't"), ("could not", "couldn't"), ("should not", "shouldn't"), ("it is", "it's"), ("they are", "they're"), ("we are", "we're"),
    ("you are", "you're"), ("we will", "we'll"), ("you will", "you'll"),
]
LEADING = re.compile(
    r"^(?:However|In addition|Moreover|Furthermore|Additionally|For example|For instance|Therefore|Thus|Consequently|As a result|"
    r"Nevertheless|Nonetheless|Similarly|Likewise|Meanwhile|Finally|In fact|Indeed|In particular|Accordingly|On the other hand|"
    r"By contrast|In contrast|Also|Hence|Of course|Overall|In general|Subsequently|Eventually|Today|Notably|Interestingly|Still|"
    r"Besides|After all|That said|Again|Instead|Then|Next|Unfortunately|Fortunately|Historically|Originally|Initially|Later), (?=\w)"
)
TRAILING_CLAUSE = re.compile(r", (?:which|who|where|although|though|whereas) [^,;:()\"]{8,}(?=[.]$)")
PARENTHESIS = re.compile(r"\s*\([^()]{1,120}\)")

PAST_DETAILS = (
    "for the first time", "for three years", "for almost a decade", "under a secret agreement", "despite strong opposition",
    "at the request of {name}", "together with {name}", "in {place}", "in {year}", "before moving to {place}", "with the help of {name}",
    "after a visit to {place}", "on the advice of {name}", "at a ceremony in {place}", "against the wishes of {name}", "for financial reasons",
    "without a formal vote", "after several failed attempts", "during a trip to {place}", "within two weeks", "following a public protest",
    "in the spring of {year}", "for a second time", "with money from {name}", "because of bad weather", "shortly before {year}",
)
PRESENT_DETAILS = (
    "in {place}", "according to {name}", "except in {place}", "at no extra cost", "only on weekdays", "during the winter months",
    "for at least six months", "since {year}", "under a law of {year}", "more often than in {place}", "for safety reasons", "free of charge",
    "with the approval of {name}", "in almost every country", "for people over the age of sixty", "as was first shown in {year}",
    "because of its low cost", "at least twice a year", "once every five years", "unless a court decides otherwise",
)

# Nouns that mostly stand in set phrases.
EMPTY_NOUNS = _words(
    "number result part order way addition end time case fact example use variety kind type lot same other following rest "
    "most least first second third last next more less half whole majority minority basis means sort form point side "
    "order term terms view front back top bottom middle beginning start need set series range amount level total thing things "
    "party parties info year years month months week weeks day days hour hours minute minutes decade decades century centuries period one ones "
    "equivalent two three four five six seven eight nine ten hundred thousand million billion percent others many few several much such "
    "place extent purpose reason course lack chance ability attempt right rights possibility fall rise face wake midst "
    "late early mid own very only main new old entire latter former past present future so-called various different certain "
    "area areas world people life name names person man men woman women child children percentage degree example instance "
    "were was been being had has have did does made said then than that with from into which when what while their there about after "
    "before again against because could would should during under over between through where itself himself herself themselves "
    "once time times position role aspect aspects matter effect event events manner couple pair addition regard respect behalf "
    "best worst largest smallest oldest newest latest greatest highest lowest north south east west northeast southeast northwest southwest"
)
ADJECTIVE_LIKE = re.compile(r"(?:ous|ful|ive|able|ible|ical|ish|less|ary|ic|al|ed|ly|ing|est|ern|wide)$")
NOUN_LIKE_AL = _words("hospital capital animal festival material journal trial arrival proposal signal metal canal official individual music fabric "
                      "topic critic traffic public republic building meeting painting king ring feeling song evening morning vehicle territory "
                      "library army century dictionary bed seed need family assembly supply monopoly feed breed speed motive detective archive cathedral "
                      "table cable vegetable wedding spring wing string thing training engineering funding hearing setting professional general")

# --------------------------------------------------------------------------
# Text in tokens
# --------------------------------------------------------------------------

TOKEN = re.compile(r"\d[\d,.]*\d|\w+(?:-\w+|['’](?!s\b)\w+)*|['’]s\b|[^\w\s]")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"”')\]]*\s+(?=[\"“'(\[]?[A-Z0-9])")
ABBREVIATION = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Jr|Sr|vs|No|Inc|Ltd|Co|Corp|Gen|Col|Lt|Prof|Rev|Mt|Fig|al|e\.g|i\.e|U\.S|U\.K|c|ca|approx|Art|Sec)|\b[A-Z])\.$")


def sentences_of(text: str) -> list[str]:
    """The sentences of ``text``, in order, each stripped."""
    found: list[str] = []
    start = 0
    for match in SENTENCE_END.finditer(text):
        piece = text[start : match.end()].strip()
        if ABBREVIATION.search(piece[-12:]):
            continue
        if piece:
            found.append(piece)
        start = match.end()
    rest = text[start:].strip()
    return found + [rest] if rest else found


class Text:
    """A text with its tokens: words, lower-cased words and their spans."""

    __slots__ = ("s", "w", "lo", "at", "to", "bag")

    def __init__(self, s: str) -> None:
        self.s = s
        spans = [m.span() for m in TOKEN.finditer(s)]
        self.w = [s[a:b] for a, b in spans]
        self.lo = [w.lower() for w in self.w]
        self.bag = frozenset(self.lo)
        self.at = [a for a, _ in spans]
        self.to = [b for _, b in spans]

    def low(self, i: int) -> str:
        return self.lo[i] if 0 <= i < len(self.lo) else ""

    def word(self, i: int) -> str:
        return self.w[i] if 0 <= i < len(self.w) else ""

    def put(self, i: int, j: int, new: str) -> str:
        """The text with the tokens i to j (exclusive) replaced by ``new``."""
        return splice(self.s, self.at[i], self.to[j - 1], new)

    def opens(self, i: int) -> bool:
        """Does token i open a sentence?"""
        k = i - 1
        while k >= 0 and self.w[k] in "\"“'‘([":
            k -= 1
        return k < 0 or self.w[k] in (".", "!", "?", ":", ";", "•")


VOWEL_SOUND = re.compile(r"(?:[aeio]|u(?!ni(?!n)|s[eu]|r[aio]|ti)|hono|hour|heir|8|11\b|18\b)", re.I)
LETTER_VOWEL = frozenset("AEFHILMNORSX")


def splice(s: str, start: int, end: int, new: str) -> str:
    """Replace s[start:end]; keep a capital at the start and mend a/an and spaces."""
    if new and start == 0 and s[:1].isupper() and new[0].islower():
        new = new[0].upper() + new[1:]
    head, tail = s[:start], s[end:]
    if not new:
        if head.endswith(" ") and tail.startswith((" ", ".", ",", ";", "?")):
            head = head[:-1]
        elif not head:
            tail = tail.lstrip()
            tail = tail[:1].upper() + tail[1:] if s[:1].isupper() else tail
        return head + tail
    return mend_article(head, new) + new + tail


def mend_article(head: str, new: str) -> str:
    """``head`` with a closing a/an made to fit ``new``."""
    for article in (" a ", " an ", "A ", "An "):
        if head.endswith(article) and (article[0] == " " or len(head) == len(article)):
            acronym = len(new.split()[0]) > 1 and new.split()[0].isupper() and new[0].isalpha()
            an = new[0] in LETTER_VOWEL if acronym else bool(VOWEL_SOUND.match(new))
            lead = article[0] + ("a" if article[0] == " " else "")
            return head[: len(head) - len(article)] + lead + ("n " if an else " ")
    return head


def in_case_of(model: str, word: str) -> str:
    if model.isupper() and len(model) > 1:
        return word.upper()
    if model[:1].isupper():
        return word[:1].upper() + word[1:]
    return word[:1].lower() + word[1:]


# --------------------------------------------------------------------------
# Names
# --------------------------------------------------------------------------


class Name:
    """A run of capitalised tokens: its text, token span, class and article."""

    __slots__ = ("text", "i", "j", "sort", "the", "size")

    def __init__(self, text: str, i: int, j: int, sort: str, the: bool) -> None:
        self.text, self.i, self.j, self.sort, self.the, self.size = text, i, j, sort, the, j - i


def _capital(word: str) -> bool:
    return "A" <= word[0] and word[0].isupper() and word not in MONTH_SET and word not in WEEKDAY_SET and word != "I" and "'" not in word[1:2]


def _run_end(t: Text, i: int) -> int:
    """Where the name that starts at token i ends (exclusive)."""
    n, j = len(t.w), i + 1
    while j < n:
        gap = t.s[t.to[j - 1] : t.at[j]]
        if gap == " " and _capital(t.w[j]) and t.lo[j] not in STOP:
            j += 1
        elif gap == "" and t.w[j] == "." and len(t.w[j - 1]) == 1 and j + 1 < n and _capital(t.w[j + 1]):
            j += 1 if t.s[t.to[j] : t.at[j + 1]] == "" else 2
            if t.w[j - 1] == ".":
                j += 1
        elif t.lo[j] in ("of", "de", "von", "van", "del", "di", "da") and j + 1 < n and gap == " ":
            k = j + 2 if t.lo[j + 1] == "the" else j + 1
            if k < n and _capital(t.w[k]) and (t.lo[j] != "of" or t.w[j - 1] in OF_HEADS):
                j = k + 1
            else:
                break
        else:
            break
    return min(j, n)


def _sort_of_name(t: Text, i: int, j: int) -> str:
    first, last = t.w[i], t.w[j - 1]
    if j - i == 1:
        if first.isupper() and len(first) > 1:
            return "acronym"
        low = t.lo[i]
        if low not in NOT_DEMONYM:
            if DEMONYM.match(low):
                return "demonym"
            if low.endswith("s") and DEMONYM.match(low[:-1]):
                return "demonyms"
    if first in GIVEN or t.low(i - 1) in TITLES or first.lower() in TITLES or (t.low(i - 1) == "." and t.low(i - 2) in TITLES):
        return "person"
    if last in ORG_HEADS or first in ORG_HEADS:
        return "org"
    if last in PLACE_HEADS or t.low(i - 1) in PLACE_PREPOSITIONS:
        return "place"
    return "other"


def find_names(t: Text, known: frozenset[str] | set[str] = frozenset()) -> list[Name]:
    """The names of a text; ``known`` are words seen capitalised elsewhere."""
    found: list[Name] = []
    i, n = 0, len(t.w)
    shouting = sum(1 for w in t.w if w[0].isupper()) > 0.7 * n and n > 8
    while i < n and not shouting:
        if not _capital(t.w[i]):
            i += 1
            continue
        initial = t.opens(i)
        j = _run_end(t, i)
        while i < j and (t.lo[i] in STOP or (initial and t.lo[i] in OPENERS)):
            i += 1
            initial = False
        if i >= j:
            i = max(i, j)
            continue
        if initial and j - i == 1 and not _sure_opening(t, i, known):
            i = j
            continue
        if len(t.w[i]) > 2 or j - i > 1 or t.w[i].isupper() and len(t.w[i]) > 1:
            text = t.s[t.at[i] : t.to[j - 1]]
            found.append(Name(text, i, j, _sort_of_name(t, i, j), t.low(i - 1) == "the"))
        i = j
    return found


def _sure_opening(t: Text, i: int, known: frozenset[str] | set[str]) -> bool:
    word = t.w[i]
    if word in known or word in GIVEN or t.word(i + 1) in ("'s", "’s"):
        return True
    return word.isupper() and len(word) > 1


def _mid_capitals(t: Text) -> set[str]:
    return {w for i, w in enumerate(t.w) if w[0].isupper() and _capital(w) and not t.opens(i)} - {
        w for w in t.w if w.lower() in STOP
    }


def names_in(text: str) -> list[str]:
    """The distinct proper names of ``text``, in order of first appearance."""
    t = Text(text)
    return list(dict.fromkeys(name.text for name in find_names(t, _mid_capitals(t))))


def same_thing(a: str, b: str) -> bool:
    """May the two names be aliases (shared word, initials, substring)?"""
    a, b = a.lower(), b.lower()
    if a in b or b in a:
        return True
    one, two = set(re.findall(r"\w{3,}", a)), set(re.findall(r"\w{3,}", b))
    if one & two or any(x[:4] == y[:4] for x in one for y in two):
        return True
    initials = ["".join(w[0] for w in x.split() if w) for x in (a, b)]
    return initials[0] == b.replace(".", "") or initials[1] == a.replace(".", "")


# --------------------------------------------------------------------------
# Nouns
# --------------------------------------------------------------------------


def _boundary(t: Text, i: int) -> bool:
    """Does token i close a noun phrase that stands before it?"""
    low = t.low(i)
    return not low or not low[0].isalnum() or low in PREPOSITIONS or low in AUX or low in CONJUNCTIONS or low in SUBORDINATORS


def _nounish(low: str) -> bool:
    if len(low) < 4 or not low.isalpha() or not low.isascii() or low in STOP or low in EMPTY_NOUNS or low in SPELLED:
        return False
    if low in OPPOSITES and OPPOSITES[low][0][0] not in ("noun", "nouns") or low in BASE_OF_PAST or low in PARTICIPLE_ONLY:
        return False
    return low in NOUN_LIKE_AL or not ADJECTIVE_LIKE.search(low)


def find_nouns(t: Text) -> list[int]:
    """Token indices of head nouns: determiner, up to two words, noun, boundary."""
    found = []
    for i, low in enumerate(t.lo):
        if low not in ARTICLES:
            continue
        for j in range(i + 1, min(i + 4, len(t.lo))):
            if not t.w[j][0].islower() or t.lo[j] in STOP:
                break
            if _boundary(t, j + 1):
                if _nounish(t.lo[j]):
                    found.append(j)
                break
    return found


def _plural(low: str) -> bool:
    return low.endswith("s") and not low.endswith(("ss", "us", "is"))


HUMAN = re.compile(r"(?:ers?|ors?|ists?|ians?|ants?|ees?|men)$")
ABSTRACT = re.compile(r"(?:ions?|ments?|ness|ity|ities|ances?|ences?|ships?|ism|ure)$")


def _noun_sort(low: str) -> str:
    return "abstract" if ABSTRACT.search(low) else "human" if HUMAN.search(low) else "thing"


# --------------------------------------------------------------------------
# A passage, studied; and the pool
# --------------------------------------------------------------------------

YEAR = re.compile(r"(?<![\d,.$£€\-])(1[0-9]\d\d|20[0-4]\d)(?![\d,]*\d|\.\d|%|-[a-z]|s\b)")


class Facts:
    """What the rules need to know of a passage."""

    def __init__(self, passage: str) -> None:
        t = Text(passage)
        self.low = passage.lower()
        self.known = _mid_capitals(t)
        self.names: dict[str, Name] = {}
        for name in find_names(t, self.known):
            old = self.names.get(name.text)
            if old is None or old.sort == "other":
                self.names[name.text] = name
        self.low_names = {text.lower(): text for text in self.names}
        self.nouns = list(dict.fromkeys(t.lo[i] for i in find_nouns(t)))
        self.years = sorted({int(y) for y in YEAR.findall(passage)})
        self.numbers = [m.group() for m in NUMBER.finditer(passage)]
        self.values = {_value(n) for n in self.numbers}
        self.spelled = {SPELLED[w] for w in t.lo if w in SPELLED}
        self.sentences = sentences_of(passage)
        self.sets = [content(s) for s in self.sentences]
        self.words = t.bag
        self.lower = frozenset(w for w in t.w if w[0].islower())


def content(text: str) -> frozenset[str]:
    return frozenset(w for w in re.findall(r"\w+", text.lower()) if w not in STOP)


@lru_cache(maxsize=512)
def study(passage: str) -> Facts:
    return Facts(passage)


PLAIN_PLACE = re.compile(r"(?!(?:Chapter|Section|Season|Windows|Google|Facebook|Christian|Latin|Internet|God|City|Western|Eastern|Northern|Southern|Early|Late|United|Netherlands|York City)\b)[A-Z][a-z]{3,}(?: [A-Z][a-z]{3,})?(?<!Airport)(?<!Station)(?<!Street)(?<!Building)(?<!ism)(?<!Policy)(?<!War)")


def _most_seen(places: dict[str, int], limit: int) -> list[str]:
    """Places seen in three passages, or in two, or in one, where that gives a fair choice."""
    for least in (3, 2, 1):
        found = [p for p, n in places.items() if n >= least and p.split()[0] not in GIVEN]
        if len(found) >= 30:
            break
    return found[:limit]


class Pool:
    """Names, places, years and nouns of other documents."""

    LIMIT = 20000

    def __init__(self) -> None:
        self.names: dict[str, list[Name]] = {}
        self.years: list[int] = []
        self.places: list[str] = []
        self.nouns: dict[tuple[str, bool], list[str]] = {}

    @classmethod
    def from_passages(cls, passages: Iterable[str], limit: int = 4000) -> Pool:
        """Collect from at most ``limit`` distinct passages, in their order."""
        pool, seen = cls(), set()
        names: set[str] = set()
        nouns: set[str] = set()
        years: set[int] = set()
        places: dict[str, int] = {}
        for passage in passages:
            if passage in seen:
                continue
            seen.add(passage)
            facts = Facts(passage)
            for text, name in facts.names.items():
                if name.sort == "place" and not name.the and PLAIN_PLACE.fullmatch(text):
                    places[text] = places.get(text, 0) + 1
                if text not in names and len(names) < cls.LIMIT and name.size <= 4:
                    names.add(text)
                    pool.names.setdefault(name.sort, []).append(name)
            for noun in facts.nouns:
                if noun not in nouns and len(nouns) < cls.LIMIT:
                    nouns.add(noun)
                    pool.nouns.setdefault((_noun_sort(noun), _plural(noun)), []).append(noun)
            years.update(facts.years)
            if len(seen) >= limit:
                break
        pool.years = sorted(years)
        pool.places = _most_seen(places, cls.LIMIT)
        return pool

    def some_name(self, sorts: tuple[str, ...], rng: Random) -> Name | None:
        lists = [self.names[s] for s in sorts if self.names.get(s)]
        return rng.choice(rng.choice(lists)) if lists else None

    def some_year(self, rng: Random) -> int:
        return rng.choice(self.years) if self.years else rng.randint(1850, 2015)


def _told(facts: Facts, altered: str, new: str, old: str) -> bool:
    """May the passage say the altered thing elsewhere?"""
    if altered.lower().rstrip(" .?!") in facts.low:
        return True
    if not new:
        return False
    fresh, gone = content(new), content(old)
    fresh, gone = fresh - gone, gone - fresh
    if not fresh:
        return False
    rivals = [s for s in facts.sets if fresh <= s and not (gone and gone <= s)]
    if not rivals:
        return False
    whole = content(altered)
    return any(len(whole & s) >= 0.7 * len(whole) for s in rivals)

# --------------------------------------------------------------------------
# Numbers and dates
# --------------------------------------------------------------------------

NUMBER = re.compile(r"(?<![\w.,/:\-–\[#])\d+(?:,\d{3})*(?:\.\d+)?(?![\w/:]|[.,]\d|-\d|–\d|\])")
ORDINAL_DIGITS = re.compile(r"(?<![\w.,/-])(\d{1,3})(st|nd|rd|th)\b")
DECADE = re.compile(r"(?<!\w)(1[5-9]|20)([0-9])0s\b")
AT_LEAST = re.compile(r"(?:more than|over|at least|above|exceed(?:s|ed|ing)?|after|since|greater than|minimum of)\s+(?:[$£€]\s?)?$", re.I)
AT_MOST = re.compile(r"(?:less than|fewer than|under|up to|at most|below|before|by|until|within|nearly|almost|maximum of)\s+(?:[$£€]\s?)?$", re.I)
ABOUT = re.compile(r"(?:about|around|approximately|roughly|some|circa|c\.|ca\.|estimated)\s+(?:[$£€]\s?)?$", re.I)
MONTH_DAY = re.compile(rf"\b({'|'.join(MONTHS)}) (\d{{1,2}})\b(?!,\d|:)", re.I)
DAY_MONTH = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(MONTHS)})\b", re.I)
MONTH_ALONE = re.compile(rf"\b({'|'.join(MONTHS)})\b", re.I)
WEEKDAY = re.compile(rf"\b({'|'.join(WEEKDAYS)})(s?)\b(?! [A-Z])", re.I)
DATE_WORDS = frozenset(w.lower() for w in MONTHS + WEEKDAYS) | frozenset(w.lower() + "s" for w in WEEKDAYS)
HAS_DIGIT = re.compile(r"\d")


def _value(number: str) -> float:
    return float(number.replace(",", ""))


def _written(value: float, model: str) -> str:
    """``value`` with the decimals and commas of ``model``."""
    places = len(model.partition(".")[2])
    grouped = "," in model or (value >= 10000 and len(model.partition(".")[0]) <= 4 and not places)
    zeros = len(model) - len(model.rstrip("0,")) - (model.endswith(",000")) if not places else 0
    if zeros and value >= 10 ** max(1, zeros - 1) * 2:
        unit = 10 ** max(1, zeros - 1)
        value = round(value / unit) * unit
    return f"{value:,.{places}f}" if grouped else f"{value:.{places}f}"


def _sway(s: str, at: int) -> str:
    """Which way a figure at ``at`` must move so that it is not still true."""
    head = s[max(0, at - 24) : at]
    if AT_LEAST.search(head):
        return "up"
    if AT_MOST.search(head):
        return "down"
    return "far" if ABOUT.search(head) else "any"


def _figures(model: str, rng: Random) -> list[float]:
    """Plausible other values for a figure: near, transposed, of another size."""
    value = _value(model)
    whole = "." not in model
    step = max(1, round(abs(value) * rng.uniform(0.15, 0.6))) if whole else round(value * rng.uniform(0.15, 0.6), 2) or 0.1
    near = [value + step, value - step]
    digits = re.sub(r"\D", "", model)
    swapped = []
    if len(digits) >= 2 and "," not in model:
        k = rng.randrange(len(digits) - 1)
        turned = digits[:k] + digits[k + 1] + digits[k] + digits[k + 2 :]
        if turned[0] != "0":
            swapped.append(float(turned) / 10 ** len(model.partition(".")[2]))
    return near + near + swapped + [value * 10, value * 2]


def _new_figure(s: str, at: int, model: str, facts: Facts, rng: Random, percent: bool) -> str | None:
    value, sway = _value(model), _sway(s, at)
    options = _figures(model, rng)
    options += [v for v in (_value(n) for n in facts.numbers) if 0.1 < (v / value if value else 0) < 10 and not 1500 < v < 2050]
    rng.shuffle(options)
    for new in options:
        if (new >= value * 1.1 if sway == "up" else new <= value * 0.9 if sway == "down" else not 0.7 < new / (value or 1) < 1.5 if sway == "far" else True):
            if new in (0, 1, value) or new < 0 or (percent and new > 100):
                continue
            text = _written(new, model)
            if _value(text) not in (value, 0, 1) and (_value(text) not in facts.values or rng.random() < 0.5):
                return text
    return None


def _alter_number(t: Text, facts: Facts, rng: Random) -> tuple[str, str, str] | None:
    """(altered, new, old) for a figure, spelled number or ordinal that is no date."""
    s, options = t.s, []
    for m in NUMBER.finditer(s):
        if s[m.start() - 1 : m.start()] == "(" and s[m.end() : m.end() + 1] == ")":
            continue  # the number of a list entry
        if _is_year(s, m) or _near_month(s, m) or _value(m.group()) in (0, 1):
            continue
        percent = s[m.end() : m.end() + 9].lstrip().startswith(("%", "per cent", "percent"))
        new = _new_figure(s, m.start(), m.group(), facts, rng, percent)
        if new:
            options.append((m.start(), m.end(), new))
    for m in ORDINAL_DIGITS.finditer(s):
        if "century" in s[m.end() : m.end() + 12] or "centuries" in s[m.end() : m.end() + 25] or _near_month(s, m):
            continue
        options.append((m.start(), m.end(), ordinal(_other_int(int(m.group(1)), rng))))
    for i, low in enumerate(t.lo):
        if low not in NUMBER_WORDS:
            continue
        if low in SPELLED and SPELLED[low] > 1 and t.low(i + 1) != "-" and t.low(i - 1) != "-":
            value = SPELLED[low]
            sway = _sway(s, t.at[i])
            new = value + rng.randint(1, 4) if sway == "up" else value - rng.randint(1, 2) if sway == "down" else _other_int(value, rng)
            if new > 1 and new in SPELLING and new != value:
                options.append((t.at[i], t.to[i], in_case_of(t.w[i], SPELLING[new])))
        elif low in ORDINALS and (t.low(i - 1) in ARTICLES or t.low(i - 1) in ("'s", "’s")) and t.low(i + 1) not in ("time", "half", "of", "and", "", "party", "parties", "person") and low != "second":
            others = [o for o in ORDINALS[:6] if o != low and o not in facts.words]
            if others and t.low(i + 1)[:1].isalpha():
                options.append((t.at[i], t.to[i], rng.choice(others)))
        elif low in ("million", "billion", "thousand", "hundred") and t.low(i - 1)[:1].isalnum():
            sway = _sway(s, t.at[i - 1])
            k = SCALES.index(low)
            others = [SCALES[k + 1]] * (sway != "down") + [SCALES[k - 1]] * (k > 1 and sway != "up")
            options.append((t.at[i], t.to[i], rng.choice(others or [SCALES[k + 1]])))
    return _pick(s, options, rng)


def _pick(s: str, options: list[tuple[int, int, str]], rng: Random) -> tuple[str, str, str] | None:
    if not options:
        return None
    start, end, new = rng.choice(options)
    return splice(s, start, end, new), new, s[start:end]


def _other_int(value: int, rng: Random) -> int:
    new = value
    while new == value or new < 2:
        new = value + rng.choice((-3, -2, -1, 1, 2, 3, 4))
    return new


def ordinal(value: int) -> str:
    ending = "th" if 10 <= value % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending}"


def _is_year(s: str, m: re.Match[str]) -> bool:
    text = m.group()
    return len(text) == 4 and text.isdigit() and 1000 <= int(text) < 2050 and not re.match(
        r"\s+(?:people|men|women|students|miles|km|kilo|met|feet|square|years|troops|soldiers|dollars|acres|million)", s[m.end() : m.end() + 12]
    ) and s[m.start() - 1 : m.start()] not in ("$", "£", "€")


def _near_month(s: str, m: re.Match[str]) -> bool:
    head, tail = s[max(0, m.start() - 11) : m.start()].split(), s[m.end() : m.end() + 11].split()
    return bool(head and head[-1].capitalize() in MONTH_SET) or bool(tail and tail[0].strip(",.").capitalize() in MONTH_SET)


def _new_year(s: str, m: re.Match[str], facts: Facts, rng: Random) -> str:
    year, sway = int(m.group()), _sway(s, m.start())
    text = s[m.start() - 1 : m.start()]
    if text in "-–" and text:
        sway = "up"
    elif s[m.end() : m.end() + 1] in ("-", "–"):
        sway = "down"
    steps = [k for k in (-12, -10, -8, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 7, 10, 11) if (k > 0 or sway != "up") and (k < 0 or sway != "down")]
    if sway == "any" and rng.random() < 0.35:
        others = [y for y in facts.years if y != year and str(y) not in s and abs(y - year) < 150]
        if others:
            return str(rng.choice(others))
    latest = max(facts.years[-1:] + [2015]) + 2
    options = [year + k for k in steps if year + k not in facts.years and year + k <= latest]
    return str(rng.choice(options or [year + 13]))


def _other(options: list[str], old: str, facts: Facts, rng: Random) -> str:
    rest = [o for o in options if o != old and o.lower() not in facts.words]
    return rng.choice(rest or [o for o in options if o != old])


def _centuries(s: str, rng: Random) -> list[tuple[int, int, str]]:
    found = []
    for m in ORDINAL_DIGITS.finditer(s):
        if s[m.end() : m.end() + 8].lstrip(" -").startswith("centur"):
            new = min(_other_int(int(m.group(1)), rng), 19 if m.group(1) == "20" else 20)
            found.append((m.start(), m.end(), ordinal(new)))
    return found


def _alter_date(t: Text, facts: Facts, rng: Random) -> tuple[str, str, str] | None:
    s, options = t.s, []
    if t.bag.isdisjoint(DATE_WORDS) and not HAS_DIGIT.search(s):
        return None
    for m in YEAR.finditer(s):
        if _is_year(s, m):
            options.append((m.start(), m.end(), _new_year(s, m, facts, rng)))
    for m in DECADE.finditer(s):
        tens = int(m.group(2))
        options.append((m.start(), m.end(), f"{m.group(1)}{rng.choice([d for d in range(10) if d != tens and abs(d - tens) < 5])}0s"))
    if t.bag.isdisjoint(DATE_WORDS):
        return _pick(s, options + _centuries(s, rng), rng)
    days = [(m.start(2), m.end(2)) for m in MONTH_DAY.finditer(s)] + [(m.start(1), m.end(1)) for m in DAY_MONTH.finditer(s)]
    for a, b in days:
        day = int(s[a:b])
        if 1 <= day <= 31:
            options.append((a, b, str(rng.choice([d for d in range(1, 29) if d != day]))))
    for m in MONTH_ALONE.finditer(s):
        before = s[max(0, m.start() - 8) : m.start()].split()
        sure = m.group().lower() not in ("may", "march") or re.match(r",? \d", s[m.end() :]) or before and before[-1] in ("in", "of", "since", "until", "last", "late", "early")
        if sure:
            options.append((m.start(), m.end(), in_case_of(m.group(), _other(MONTHS, m.group().capitalize(), facts, rng))))
    for m in WEEKDAY.finditer(s):
        options.append((m.start(1), m.end(1), in_case_of(m.group(1), _other(WEEKDAYS, m.group(1).capitalize(), facts, rng))))
    return _pick(s, options + _centuries(s, rng), rng)


UNIT_WORDS = frozenset(unit.lower() for unit in UNITS) | frozenset(RATES) | {"%", "$", "£", "€"}
NUMBER_WORDS = frozenset(SPELLED) | frozenset(ORDINALS) | frozenset(SCALES)


def _alter_unit(t: Text, facts: Facts, rng: Random) -> tuple[str, str, str] | None:
    s, options = t.s, []
    for i, low in enumerate(t.lo):
        if low not in UNIT_WORDS:
            continue
        counted = t.low(i - 1)[-1:].isdigit() or t.low(i - 1) in SPELLED or t.low(i - 1) in ("hundred", "thousand", "million", "billion", "few", "several")
        counted = counted or (t.low(i - 1) == "-" and t.low(i - 2)[:1].isdigit())
        if counted and t.w[i] in UNITS:
            if not (t.low(i + 1) in ("of", "old") and low.startswith("year")):
                options.append((t.at[i], t.to[i], rng.choice(UNITS[t.w[i]])))
        elif low in RATES and t.w[i].islower():
            options.append((t.at[i], t.to[i], rng.choice(RATES[low])))
        elif low == "%" and t.low(i - 1)[:1].isdigit() and t.low(i - 1) != "1":
            options.append((t.at[i], t.to[i], " percentage points" if t.at[i] == t.to[i - 1] else "percentage points"))
        elif low in ("$", "£", "€") and t.low(i + 1)[:1].isdigit() and t.at[i + 1] == t.to[i] and not t.word(i - 1).isupper():
            options.append((t.at[i], t.to[i], rng.choice([c for c in "$£€" if c != low])))
    return _pick(s, options, rng)


# --------------------------------------------------------------------------
# Names, roles, nouns, details
# --------------------------------------------------------------------------


def _fits(old: Name, new: Name) -> bool:
    if old.sort != new.sort or old.the != new.the:
        return False
    if old.sort == "other" and (old.size != new.size or old.text[-3:] == "ism" != new.text[-3:] or new.text[-3:] == "ism" != old.text[-3:]):
        return False
    if old.sort in ("other", "org"):
        return abs(old.size - new.size) <= 1 and _plural(old.text) == _plural(new.text)
    return abs(old.size - new.size) <= 2


def _new_name(old: Name, s: str, facts: Facts, pool: Pool, rng: Random, banned: str = "") -> str | None:
    low = s.lower()
    near = [n for n in facts.names.values() if _fits(old, n) and n.text.lower() not in low]
    near = [n for n in near if not same_thing(n.text, old.text)]
    near = [n for n in near if not banned or n.text.lower() not in banned and banned not in n.text.lower()]
    if near and rng.random() < 0.85:
        return rng.choice(near).text
    if not near and rng.random() < 0.4:
        return None
    for _ in range(8 if old.sort != "other" else 0):
        new = pool.some_name((old.sort,), rng)
        if new and _fits(old, new) and new.text.lower() not in facts.low and not same_thing(new.text, old.text):
            return new.text
    return None


def _alter_name(t: Text, names: list[Name], facts: Facts, pool: Pool, rng: Random, banned: str = "") -> tuple[str, str, str] | None:
    for name in rng.sample(names, min(3, len(names))):
        sort = facts.names.get(name.text)
        new = _new_name(sort if sort and name.sort == "other" else name, t.s, facts, pool, rng, banned)
        if new:
            return t.put(name.i, name.j, new), new, name.text
    return None


SYMMETRIC = _words(
    "and or with between married met marry meet fought fight shared share border borders bordered divorced same similar equal versus vs both "
    "together including like such & known called named renamed , ( )"
)
ROLE_VERBS = frozenset(past_of(v) for v in COMMON_VERBS) | PARTICIPLES | frozenset(BASE_OF_THIRD) | _words("from than by over before after")


ACTING = frozenset(
    form(verb)
    for verb in (
        "defeat attack follow precede replace own defend support oppose influence lead control invade help protect kill cause include contain "
        "exceed destroy govern capture chase conquer dominate affect strengthen weaken teach advise succeed beat describe criticize praise acquire buy inspire appoint elect sue accuse absorb surround cover produce"
    ).split()
    for form in (past_of, third_of)
)


def _verb_opens(words: list[str], sort: str) -> bool:
    """Does a verb (or an adverb or auxiliary and a verb) come first, and no place or time after it?"""
    k = 0
    while k < len(words) - 1 and (words[k] in AUX or words[k] in ADVERBS or words[k].endswith("ly")):
        k += 1
    verbs = ROLE_VERBS if sort == "person" else ACTING
    return words[k] in verbs and words[k] not in PREPOSITIONS and (words[-1] == "by" or words[-1] not in PREPOSITIONS)


def _alter_role(t: Text, names: list[Name], rng: Random) -> tuple[str, str, str] | None:
    """Swap two names, or two plain noun phrases, around a verb or "than"."""
    pairs = []
    for one, two in zip(names, names[1:], strict=False):
        between = t.lo[one.j : two.i]
        if not 1 <= len(between) <= 5 or one.sort == "acronym" or one.sort != two.sort or one.the != two.the or same_thing(one.text, two.text):
            continue
        if not SYMMETRIC.intersection(between) and _verb_opens(between, one.sort) and t.low(one.i - 1) not in ("and", "of", ",") and _boundary(t, two.j) and t.low(two.j) not in ("and", "or", "'s", "’s", "("):
            pairs.append((one.i, one.j, two.i, two.j))
        elif t.low(one.i - 1) == "from" and between == ["to"] and t.bag.isdisjoint(("distance", "line", "band", "extends")):
            pairs.append((one.i, one.j, two.i, two.j))
    pairs += _phrase_pairs(t)
    if not pairs:
        return None
    i, j, k, m = rng.choice(pairs)
    s = t.s
    one, two = s[t.at[i] : t.to[j - 1]], s[t.at[k] : t.to[m - 1]]
    if t.at[i] == 0 and two[0].islower():
        one, two = one[0].lower() + one[1:], two[0].upper() + two[1:]
    if one.lower() == two.lower():
        return None
    return s[: t.at[i]] + two + s[t.to[j - 1] : t.at[k]] + one + s[t.to[m - 1] :], "", ""


def _phrase_pairs(t: Text) -> list[tuple[int, int, int, int]]:
    """Spans of two noun phrases "the x" around one verb, at the sentence's start."""
    n = len(t.lo)
    if n < 6 or t.lo[0] not in ("the", "a", "an", "this"):
        return []
    for verb in range(2, min(4, n - 2)):
        if t.lo[verb] not in ACTING:
            continue
        if not all(t.w[i][0].isalpha() for i in range(verb)) or t.lo[verb + 1] not in ("the", "a", "an"):
            return []
        for end in range(verb + 2, min(verb + 4, n)):
            if t.lo[end] in STOP or not t.w[end][0].isalpha():
                return []
            if _boundary(t, end + 1) and _plural(t.lo[verb - 1]) == _plural(t.lo[end]) and _nounish(t.lo[end]) and _nounish(t.lo[verb - 1]):
                return [(0, verb, verb + 1, end + 1)]
    return []


def _alter_noun(t: Text, facts: Facts, pool: Pool | None, rng: Random) -> tuple[str, str, str] | None:
    spots = find_nouns(t)
    rng.shuffle(spots)
    here = set(t.lo)
    for i in spots[:3]:
        old = t.lo[i]
        sort, plural = _noun_sort(old), _plural(old)
        near = [n for n in facts.nouns if n not in here and _plural(n) == plural and n[:4] != old[:4] and _noun_sort(n) == sort]
        if near and (pool is None or rng.random() < 0.85):
            new = rng.choice(near)
        elif pool is None:
            continue
        else:
            choices = pool.nouns.get((sort, plural))
            new = rng.choice(choices) if choices else None
            if not new or new in facts.words or new[:4] == old[:4]:
                continue
        if f"{t.low(i - 1)} {new}" in facts.low and t.low(i - 1) not in STOP:
            continue
        return t.put(i, i + 1, new), new, old
    return None


PAST_SIGN = re.compile(r"\b(?:was|were|had|did|[a-z]{2,}ed|became|began|made|took|went|won|wrote|led|built|gave|came|held|left)\b")
PRESENT_SIGN = re.compile(r"\b(?:is|are|has|have|can|will|may|do|does|must|should)\b")


def _fill(phrase: str, s: str, facts: Facts, pool: Pool, rng: Random) -> str | None:
    """A detail phrase with its gap filled by something not said in the passage."""
    if "{year}" in phrase:
        if YEAR.search(s):
            return None
        near = [y + rng.choice((-9, -6, -3, 2, 4, 8)) for y in facts.years if y > 1700] or [pool.some_year(rng)]
        year = min(rng.choice(near), 2024)
        return None if year in facts.years else phrase.replace("{year}", str(year))
    if "{place}" in phrase:
        place = rng.choice(pool.places) if pool.places else ""
        return phrase.replace("{place}", place) if place and place not in s else None
    for gap, sorts in (("{name}", ("person",)),):
        if gap in phrase:
            own = [n.text for n in facts.names.values() if n.sort == sorts[0] and not n.the and n.text not in s]
            if own and rng.random() < 0.6:
                return phrase.replace(gap, rng.choice(own))
            name = pool.some_name(sorts, rng)
            return None if not name or name.the or name.text in s else phrase.replace(gap, name.text)
    return phrase


def _alter_detail(t: Text, facts: Facts, pool: Pool, rng: Random) -> tuple[str, str, str] | None:
    s = t.s.rstrip()
    if not s.endswith(".") or len(t.w) < 6 or not s[0].isalnum() or not any(w in AUX or w in ROLE_VERBS or w.endswith("ed") for w in t.lo):
        return None
    past = bool(PAST_SIGN.search(s)) and not PRESENT_SIGN.search(s)
    for _ in range(3):
        phrase = _fill(rng.choice(PAST_DETAILS if past else PRESENT_DETAILS), s, facts, pool, rng)
        if not phrase or phrase in facts.low:
            continue
        if past and phrase.startswith(("in 1", "in 2", "in the spring")) and rng.random() < 0.5 and t.low(0) in DETERMINERS | PRONOUNS:
            return phrase[0].upper() + phrase[1:] + ", " + s[0].lower() + s[1:], phrase, ""
        return s[:-1] + " " + phrase + ".", phrase, ""
    return None


# --------------------------------------------------------------------------
# Negation, opposites, quantifiers, modality
# --------------------------------------------------------------------------

NEGATED = {
    "isn't": "is", "aren't": "are", "wasn't": "was", "weren't": "were", "can't": "can", "cannot": "can", "won't": "will", "couldn't": "could",
    "wouldn't": "would", "shouldn't": "should", "hasn't": "has", "haven't": "have", "hadn't": "had",
}


def _alter_negation(t: Text, rng: Random) -> tuple[str, str, str] | None:
    if t.s.rstrip().endswith("?"):
        return None
    if any(w in NEGATIVES or w.endswith(("n't", "n’t")) for w in t.lo):
        altered = _remove_negation(t)
    else:
        altered = _insert_negation(t, rng)
    return (altered, "", "") if altered else None


def _remove_negation(t: Text) -> str | None:
    for i, low in enumerate(t.lo):
        low, following = low.replace("’", "'"), t.low(i + 1)
        if low in NEGATED:
            return t.put(i, i + 1, in_case_of(t.w[i], NEGATED[low]))
        if low == "no" and following == "longer":
            return t.put(i, i + 2, "still")
        if low == "never" and 0 < i and following not in ("again", "been", ""):
            return t.put(i, i + 1, "always" if following.endswith(("ed", "en")) or t.low(i - 1) in AUX else "often")
        if low in ("don't", "doesn't", "didn't") or (low in DO and following == "not"):
            j = i + (2 if following == "not" else 1)
            verb = t.low(j)
            if not verb.isalpha() or verb in STOP and verb != "have" or verb.endswith("ly") or following == "not" and t.low(i + 2) == "only":
                return None
            first = low[:3]
            form = verb if first == "do" or low in ("do", "don't") else third_of(verb) if low.startswith("does") else past_of(verb)
            return t.put(i, j + 1, form)
        if low == "not" and (t.low(i - 1) in BE or t.low(i - 1) in MODALS or t.low(i - 1) in HAVE):
            return None if following in ("only", "just", "until", "all", "necessarily") else t.put(i, i + 1, "")
    return None


def _has_participle(t: Text, i: int) -> bool:
    """Does a participle follow at i, perhaps after an adverb?"""
    for k in (i, i + 1):
        low = t.low(k)
        if low.endswith("ed") or low in PARTICIPLES:
            return True
        if not (low.endswith("ly") or low in ADVERBS):
            return False
    return False


FINITE = BE | MODALS | HAVE


def _insert_negation(t: Text, rng: Random) -> str | None:
    """Negate a finite verb, the main one if it can be told."""
    best = None
    subordinate = False
    for i, low in enumerate(t.lo):
        if low in (",", ";", ":"):
            subordinate = False
        elif low in SUBORDINATORS:
            subordinate = True
        finite = low in FINITE or low.endswith("ed") or low in BASE_OF_PAST or low in BASE_OF_THIRD
        altered = _negated_at(t, i, low) if finite else None
        if altered:
            if not subordinate:
                return altered
            best = best or altered
    return best


def _negated_at(t: Text, i: int, low: str) -> str | None:
    if i == 0 or not t.w[i].islower():
        return None
    previous, following = t.low(i - 1), t.low(i + 1)
    if previous in ("to", "so", "as", "that", "than", "and", "or") and low not in BE | MODALS:
        if previous != "and":
            return None
    if low in BE or (low in MODALS and low != "might"):
        if following in ("not", "to", "also", "only", "either", "") or not following[:1].isalnum() and following != '"':
            return t.put(i, i + 2, f"{low} not") if following == "also" else None
        if previous == "there":
            return t.put(i, i + 1, f"{low} no") if following not in DETERMINERS and following not in ADVERBS and low in BE else None
        return t.put(i, i + 1, "cannot" if low == "can" else f"{low} not")
    if low in HAVE and previous not in MODALS:
        if _has_participle(t, i + 1):
            return t.put(i, i + 1, f"{low} not")
        if following in DETERMINERS or following in ("to", "more", "many", "two", "three", "several"):
            return t.put(i, i + 1, {"has": "does", "have": "do", "had": "did"}[low] + " not have")
        return None
    return _do_support(t, i, low, previous, following)


def _do_support(t: Text, i: int, low: str, previous: str, following: str) -> str | None:
    subject = previous in SUBJECTS or previous.isalpha() and previous not in STOP and not previous.endswith("ly") and (
        t.w[i - 1][0].isupper() and i > 1 or _nounish(previous)
    )
    if not subject or following in ("by", "as", "-", "", ",", ".") or following == "to" and low.endswith("ed"):
        return None
    if t.low(i - 2) in AUX or previous in AUX or t.low(i - 2) == "to":
        return None
    if low in BASE_OF_THIRD:
        clear = following in DETERMINERS or following in PRONOUNS or following in ("from", "of", "to", "in", "on", "that", "more", "many")
        return t.put(i, i + 1, f"does not {BASE_OF_THIRD[low]}") if clear and not _plural(previous) else None
    if low in PARTICIPLE_ONLY:
        return None
    base = base_of(low)
    object_follows = following in ARTICLES or following in ("him", "them", "that", "in", "to", "from", "on", "for", "at", "into", "his") or t.word(i + 1)[:1].isupper()
    if not base or not object_follows:
        return None
    other_verb = any(w in AUX or w.endswith("ed") or w in BASE_OF_PAST for k, w in enumerate(t.lo) if k != i)
    if following in PREPOSITIONS and previous not in SUBJECTS and other_verb:
        return None  # most likely a reduced relative: "the house built in … was"
    return t.put(i, i + 1, f"did not {base}")


def _opposite_at(t: Text, i: int, rng: Random) -> str | None:
    low = t.lo[i]
    entries = OPPOSITES.get(low)
    if not entries or (t.w[i][0].isupper() and not t.opens(i)) or t.w[i].isupper() or t.word(i + 1) == "-" or t.word(i - 1) == "-":
        return None
    previous, following = t.low(i - 1), t.low(i + 1)
    if following in OPPOSITE_SKIP_NEXT.get(low, ()) or previous in OPPOSITE_SKIP_PREVIOUS.get(low, ()):
        return None
    slots = {slot for slot, _ in entries}
    noun_place = previous in DETERMINERS or previous in ("of", "in") or previous.endswith(("al", "ic", "ive", "ous"))
    if noun_place and following not in ARTICLES:
        entries = [e for e in entries if e[0] in ("noun", "nouns", "") or e[0] in ("part", "ing") and following.isalpha() and following not in STOP]
    elif "noun" in slots and "base" in slots and (previous in MODALS or previous in ("to", "not")):
        entries = [e for e in entries if e[0] == "base"]
    if {"past", "part"} <= slots:
        perfect = any(t.low(k) in AUX or t.low(k) == "being" for k in (i - 1, i - 2, i - 3)) or following == "by"
        entries = [e for e in entries if e[0] != ("past" if perfect else "part")]
    if {"base", "third"} & slots and not {"noun", "nouns", ""} & slots and "base" in slots and previous in DETERMINERS | {"of", "in"}:
        return None
    here = set(t.lo)
    options = [new for _, new in entries if new not in here]
    return in_case_of(t.w[i], rng.choice(options)) if options else None


def _alter_antonym(t: Text, rng: Random, only: frozenset[str] | None = None) -> tuple[str, str, str] | None:
    spots = [i for i, low in enumerate(t.lo) if low in OPPOSITES and (only is None or low in only)]
    rng.shuffle(spots)
    spots.sort(key=lambda i: t.lo[i] in ("more", "before", "after"))
    for i in spots:
        new = _opposite_at(t, i, rng)
        if new:
            return t.put(i, i + 1, new), new, t.w[i]
    return None


# (pattern, replacements); the first group, where there is one, is kept
QUANTIFIERS = [
    (re.compile(r"\b(?<!not )(?<!almost )(?<!nearly )all of (?=the|its|his|her|their|our|your|these|those|them)", re.I), ("none of ", "few of ", "hardly any of ")),
    (re.compile(r"\b(?<!not )(?<!almost )(?<!nearly )(?<!of )all (?=(?:the|its|his|her|their|our|your|these|those) \w+s\b)", re.I), ("none of ", "few of ")),
    (re.compile(r"\b(?<!not )(?<!at )(?<!almost )(?<!after )(?<!above )(?<!of )all (?=(?!this)[a-z]{4,}s\b(?<!ous))", re.I), ("no ", "few ")),
    (re.compile(r"\b(?<!not )(?<!almost )(?<!nearly )every (?=[a-z]{4,})(?!day|year|one\b|thing|time|week)", re.I), ("no ", "almost no ")),
    (re.compile(r"\bmost of (?=the|its|his|her|their|our|your|these|those|them)", re.I), ("none of ", "few of ")),
    (re.compile(r"\b(?<!the )(?<!at )(?<!its )(?<!his )(?<!their )most (?=(?!of|people)[a-z]{4,}s\b(?<!ous)(?<!ss))", re.I), ("few ", "no ")),
    (re.compile(r"\bmany of (?=the|its|his|her|their|our|your|these|those|them)", re.I), ("none of ", "very few of ")),
    (re.compile(r"\b(?<!how )(?<!as )(?<!so )(?<!the )(?<!too )(?<!not )many (?=[a-z]{4,}s\b(?<!ous)|people)", re.I), ("few ", "no ", "hardly any ")),
    (re.compile(r"\b(?<!the )several (?=[a-z]{4,}s\b(?<!ous))", re.I), ("no ", "hardly any ")),
    (re.compile(r"\bsome of (?=the|its|his|her|their|our|your|these|those|them)", re.I), ("none of ", "all of ")),
    (re.compile(r"\b(?<!the )some (?=[a-z]{4,}s\b(?<!ous)|people)", re.I), ("no ", "all ")),
    (re.compile(r"\b(?<!a )(?<!the )(?<!very )few (?=[a-z]{4,}s\b)", re.I), ("most ", "nearly all ", "many ")),
    (re.compile(r"\bnone of (?=the|its|his|her|their|them)", re.I), ("all of ", "most of ")),
    (re.compile(r"\bno (?=[a-z]{4,}s\b(?<!ss))", re.I), ("many ", "several ")),
    (re.compile(r"\bat least (?=\w)", re.I), ("at most ", "fewer than ")),
    (re.compile(r"\bmore than (?=half|\d|one|two|three|a )", re.I), ("less than ",)),
    (re.compile(r"\bless than (?=half|\d|one|two|three|a )", re.I), ("more than ",)),
    (re.compile(r"\bthe majority of ", re.I), ("a minority of ", "none of ")),
    (re.compile(r"\bboth of (?=the|its|his|her|their|them)", re.I), ("neither of ",)),
    (re.compile(r"\bboth ((?:[\w'-]+ ){1,4})and ", re.I), ("neither {0}nor ",)),
    (re.compile(r"\b(?<!not )(?<!the )(?<!if )only (?=\w)"), ("not only ",)),
    (re.compile(r"\bnever (?=[a-z]+)"), ("always ", "often ")),
    (re.compile(r"(?<= )(?:usually|often|frequently|generally|typically|always) (?=[a-z]+)"), ("never ", "rarely ")),
]
MODALITIES = [
    (re.compile(r"\b(is|are|was|were) (?:believed|thought|said|reported|considered|alleged|rumou?red|assumed|claimed) to be\b"), ("{0}", "{0} proven to be")),
    (re.compile(r"\b(?:is|are) (?:believed|thought|said|reported|alleged|assumed) to have (?=\w+ed\b|been)"), None),
    (re.compile(r"\b(is|are) (?:expected|likely|planned|scheduled) to\b"), ("{0} certain to", "{0} required to")),
    (re.compile(r"\b(?:was|were) (?:expected|planned|likely|intended|scheduled) to (?!be\b|have\b)"), ("went on to ",)),
    (re.compile(r"\b(?<!have )(?<!has )(?:tried|attempted|wanted|planned|hoped|sought|intended) to (?!be\b)(?=[a-z]+)"), ("managed to ",)),
    (re.compile(r"\b(suggest|indicate|argue|claim|believe|propose)(s?|d|ed) that\b"), "proof"),
    (re.compile(r"(?<= )(?:seems|appears) to be\b"), ("is definitely",)),
    (re.compile(r"(?<= )(?:possibly|perhaps|probably|presumably|allegedly|reportedly|supposedly|apparently) (?=[a-z]+)"), ("certainly ", "undoubtedly ")),
    (re.compile(r"(?<= )(?<!or )may (?=[a-z]+)(?!have|not|also|or |be\b)"), ("must ", "will always ", "is obliged to ")),
    (re.compile(r"(?<= )(?:may|might|could) be (?=[a-z]+)"), ("must be ", "will always be ")),
    (re.compile(r"(?<= )(?:may|might) have (?=[a-z]+)"), ("must have ", "certainly have ")),
    (re.compile(r"(?<= )(?<!or )may (not|also) (?=[a-z]+)"), ("must {0} ", "will {0} ")),
    (re.compile(r"(?<= )might (?=[a-z]+)(?!have|not|also|be\b)"), ("must ", "will ")),
    (re.compile(r"(?<= )can (?=[a-z]+)(?!not|also|be\b)"), ("must ", "will always ")),
    (re.compile(r"(?<= )can (also|be) (?=[a-z]+)"), ("must {0} ",)),
    (re.compile(r"(?<= )should (?=[a-z]+)(?!not|have)"), ("must ", "is legally required to ")),
    (re.compile(r"(?<= )(?:usually|often|frequently|generally|typically|sometimes|commonly|normally) (?=[a-z]+)"), ("always ", "without exception ")),
    (re.compile(r"(?<= )(?:usually|often|frequently|sometimes) (?=[a-z]+)"), ("always ",)),
]
QUANTIFIER_WORDS = _words(
    "all every most many several some few none no least than majority both only never usually often frequently generally typically always"
)
MODALITY_WORDS = _words(
    "believed thought said reported considered alleged rumored rumoured assumed claimed expected likely planned scheduled intended tried "
    "attempted wanted hoped sought suggest suggests suggested indicate indicates indicated argue argues argued claim claims believe believes "
    "propose proposes proposed seems appears possibly perhaps probably presumably allegedly reportedly supposedly apparently may might could can "
    "should usually often frequently generally typically sometimes commonly normally"
)
PLURAL_SUBJECT = re.compile(r"(?:\b(?:we|they|you|and [\w-]+)|\w+[^s'’ ]s) $", re.I)


def _alter_quantifier(t: Text, rng: Random) -> tuple[str, str, str] | None:
    if t.bag.isdisjoint(QUANTIFIER_WORDS):
        return None
    hits = [(m, new) for pattern, new in QUANTIFIERS if (m := pattern.search(t.s))]
    if not hits:
        return None
    m, new = rng.choice(hits)
    if NEGATED_NEAR.search(t.s[max(0, m.start() - 20) : m.end() + 40]) and "only" not in m.group():
        return None
    text = rng.choice(new).format(*m.groups())
    return splice(t.s, m.start(), m.end(), text), "", ""


NEGATED_NEAR = re.compile(r"\b(?:not|neither|nor)\b|n't\b")


def _alter_modality(t: Text, rng: Random) -> tuple[str, str, str] | None:
    if t.bag.isdisjoint(MODALITY_WORDS):
        return None
    hits = [(m, new) for pattern, new in MODALITIES if (m := pattern.search(t.s))]
    if not hits:
        return None
    m, new = rng.choice(hits)
    if new is None:
        verb = "have " if " are " in f" {m.group()} " else "has "
        return splice(t.s, m.start(), m.end(), verb), "", ""
    if new == "proof":
        ending = "prove" + ("s" if m.group(2) == "s" else "d" if m.group(2) else "")
        return splice(t.s, m.start(), m.end(), f"{ending} that"), "", ""
    text = rng.choice(new).format(*m.groups())
    if text.startswith("is ") and PLURAL_SUBJECT.search(t.s[: m.start()]):
        text = "are " + text[3:]
    return splice(t.s, m.start(), m.end(), text), "", ""


# --------------------------------------------------------------------------
# The three ways in
# --------------------------------------------------------------------------


def alter_sentence(sentence: str, passage: str, pool: Pool, rng: Random) -> list[tuple[str, str, str]]:
    """(kind, altered sentence, "contradict" or "neutral"), one for each kind that applies."""
    facts, t = study(passage), Text(sentence)
    if len(t.w) < 4:
        return []
    names = find_names(t, facts.known)
    made = (
        ("number", _alter_number(t, facts, rng), CONTRADICT),
        ("date", _alter_date(t, facts, rng), CONTRADICT),
        ("unit", _alter_unit(t, facts, rng), CONTRADICT),
        ("name", _alter_name(t, names, facts, pool, rng), CONTRADICT),
        ("negation", _alter_negation(t, rng), CONTRADICT),
        ("antonym", _alter_antonym(t, rng), CONTRADICT),
        ("role", _alter_role(t, names, rng), CONTRADICT),
        ("quantifier", _alter_quantifier(t, rng), CONTRADICT),
        ("modality", _alter_modality(t, rng), NEUTRAL),
        ("noun", _alter_noun(t, facts, pool, rng), NEUTRAL),
        ("detail", _alter_detail(t, facts, pool, rng), NEUTRAL),
    )
    plain = sentence.lower()
    rows = []
    for kind, result, sub in made:
        if result and result[0].lower() != plain and not _told(facts, *result):
            rows.append((kind, result[0], sub))
    return rows


def keep_sentence(sentence: str, rng: Random) -> list[tuple[str, str]]:
    """(kind, text): rewritings of ``sentence`` that say nothing new."""
    rows = [("verbatim", sentence)]
    first = sentence[:1]
    if first.isalpha():
        rows.append(("first-letter", first.swapcase() + sentence[1:]))
    rows.append(("lower", sentence.lower()))
    if sentence.endswith("."):
        rows.append(("no-stop", sentence[:-1]))
    for kind, make in KEEPERS:
        text = make(sentence, rng)
        if text:
            rows.append((kind, text))
    return [rows[0]] + [row for row in rows[1:] if row[1] != sentence]


def _keep_number(s: str, rng: Random) -> str | None:
    options = []
    for m in NUMBER.finditer(s):
        text = m.group()
        if "," in text:
            options.append((m.start(), m.end(), text.replace(",", "")))
        elif text.isdigit() and 2 <= int(text) <= 20 and not _near_month(s, m) and re.match(r" [a-z]{3}", s[m.end() : m.end() + 5]) and re.search(r"\b[a-z]+ $", s[: m.start()][-12:]):
            options.append((m.start(), m.end(), SPELLING[int(text)]))
        elif text.isdigit() and len(text) >= 5 and re.match(r" [a-z]{3}", s[m.end() : m.end() + 5]):
            options.append((m.start(), m.end(), f"{int(text):,}"))
    for m in re.finditer(r"(?<= )[a-z]+(?:-[a-z]+)?(?= )", s):
        if SPELLED.get(m.group(), 0) > 1:
            options.append((m.start(), m.end(), str(SPELLED[m.group()])))
    picked = _pick(s, options, rng)
    return picked[0] if picked else None


def _keep_contraction(s: str, rng: Random) -> str | None:
    for long, short in CONTRACTIONS:
        for one, other in ((long, short), (short, long)):
            if one == "it's" or not (one in s or one.capitalize() in s):
                continue
            m = re.search(rf"(?<![\w-]){one}(?= \w)", s, re.I)
            if m and not (one == "it is" and s[m.end() :].startswith((".", ","))):
                return splice(s, m.start(), m.end(), in_case_of(m.group()[:1], other))
    return None


def _keep_without_parenthesis(s: str, rng: Random) -> str | None:
    found = PARENTHESIS.findall(s)
    text = PARENTHESIS.sub("", s)
    return text.strip() if found and len(text) > 20 else None


def _keep_without_opening(s: str, rng: Random) -> str | None:
    m = LEADING.match(s)
    return s[m.end()].upper() + s[m.end() + 1 :] if m else None


def _keep_without_clause(s: str, rng: Random) -> str | None:
    m = TRAILING_CLAUSE.search(s)
    return s[: m.start()] + s[m.end() :] if m and m.start() > 25 else None


def _keep_synonym(s: str, rng: Random) -> str | None:
    t = Text(s)
    spots = [i for i, low in enumerate(t.lo) if low in SYNONYMS and t.w[i].islower() and t.word(i + 1) not in ("-", "@", "/", "_") and t.word(i - 1) not in ("-", "@", "/")]
    if not spots:
        return None
    i = rng.choice(spots)
    return t.put(i, i + 1, rng.choice(SYNONYMS[t.lo[i]]))


FULL_MONTH_DAY = re.compile(rf"\b({'|'.join(MONTHS)}) (\d{{1,2}}), (\d{{4}})(,?)")
FULL_DAY_MONTH = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(MONTHS)}),? (\d{{4}})\b")


def _keep_date(s: str, rng: Random) -> str | None:
    m = FULL_MONTH_DAY.search(s)
    if m:
        return s[: m.start()] + f"{int(m.group(2))} {m.group(1)} {m.group(3)}{m.group(4)}" + s[m.end() :]
    m = FULL_DAY_MONTH.search(s)
    if m:
        return s[: m.start()] + f"{m.group(2)} {int(m.group(1))}, {m.group(3)}" + s[m.end() :]
    return None


KEEPERS = (
    ("number-form", _keep_number),
    ("contraction", _keep_contraction),
    ("parenthesis", _keep_without_parenthesis),
    ("opening", _keep_without_opening),
    ("clause", _keep_without_clause),
    ("synonym", _keep_synonym),
    ("date-form", _keep_date),
)

# --------------------------------------------------------------------------
# Questions
# --------------------------------------------------------------------------

ASKS_WHEN = re.compile(r"\b(?:when|what (?:year|date|day|month|decade|century|time)|which (?:year|date|day|month|decade|century)|how long|how old)\b", re.I)
ASKS_WHERE = re.compile(r"\b(?:where|(?:what|which) (?:city|country|state|town|place|county|continent|region|location))\b", re.I)
CAUSE = re.compile(r"\b(?:because|due to|in order to|reasons?|since|so that|as a result|owing|caused?|to (?:avoid|protect|prevent|help|make|allow|ensure))\b", re.I)
TIME_WORDS = re.compile(
    r"\d{3}|\b(?:century|decade|years?|months?|weeks?|days?|today|when|after|before|during|since|morning|night|" + "|".join(MONTHS + WEEKDAYS + SEASONS) + r")\b"
)
PLACE_WORDS = re.compile(r"\b(?:in|at|near|from|to|into|on|across|throughout) (?:the )?(?:[A-Z]|[a-z]+ of [A-Z])")


def _question_names(t: Text, facts: Facts) -> list[Name]:
    """Names of a question; in a lower-case one, names known from the passage."""
    if any(w[0].isupper() for w in t.w[1:]):
        return [n for n in find_names(t, facts.known) if n.i > 0 or n.size > 1]
    found = []
    plain = t.s.lower()
    for low, text in facts.low_names.items():
        if len(low) < 3 or low in STOP or low in facts.lower or low not in plain:
            continue
        words = Text(text).lo
        for i in range(len(t.lo) - len(words) + 1):
            if t.lo[i : i + len(words)] == words:
                own = facts.names[text]
                found.append(Name(text, i, i + len(words), own.sort, t.low(i - 1) == "the"))
                break
    longest = sorted(found, key=lambda n: (-n.size, n.i))
    return [n for k, n in enumerate(longest) if not any(o.i < n.j and n.i < o.j for o in longest[:k])]


def _joined(old: str, new: str, low: str) -> bool:
    """Are the two names listed side by side, so that what holds of one may of the other?"""
    a, b = low.find(old.lower()), low.find(new.lower())
    if a < 0 or b < 0:
        return False
    gap = low[a + len(old) : b] if a < b else low[b + len(new) : a]
    return len(gap) < 60 and bool(re.fullmatch(r"(?:\s*(?:,|and|or|&|as well as|the|/|\()\s*|[\s,]+\w+[\s,]+(?:and|,))+", gap))


def _question_name(t: Text, names: list[Name], facts: Facts, pool: Pool, rng: Random, answer: str) -> tuple[str, str, str] | None:
    result = _alter_name(t, names, facts, pool, rng, answer)
    if not result or _joined(result[2], result[1], facts.low):
        return None
    return result


def _question_noun(t: Text, facts: Facts, rng: Random, answer: str) -> tuple[str, str, str] | None:
    result = _alter_noun(t, facts, None, rng)
    if not result or result[1] in answer:
        return None
    old, new = result[2], result[1]
    a = facts.low.find(old)
    if a >= 0 and new in facts.low[max(0, a - 40) : a + len(old) + 40]:
        return None
    return result


def _question_superlative(t: Text, facts: Facts, rng: Random) -> tuple[str, str, str] | None:
    for i, low in enumerate(t.lo):
        new = SUPERLATIVES.get(low)
        if low == "most" and t.low(i - 1) not in ("the", "is", "are", "was"):
            continue
        if low == "first" and (t.low(i - 1) in ARTICLES or t.low(i - 1) in ("'s", "’s")):
            new = rng.choice(("second", "third", "last", "fourth"))
        elif low == "second" and t.low(i - 1) == "the" and t.low(i + 1)[:1].isalpha():
            new = rng.choice(("first", "third", "fourth"))
        elif low == "last" and t.low(i - 1) == "the" and t.low(i + 1)[:1].isalpha():
            new = rng.choice(("first", "second"))
        if new and new not in facts.words:
            return t.put(i, i + 1, in_case_of(t.w[i], new)), new, low
    return None


def _question_negation(t: Text) -> tuple[str, str, str] | None:
    if any(w in NEGATIVES or w.endswith("n't") for w in t.lo) or t.low(0) not in ("who", "what", "which"):
        return None
    for i in range(1, min(5, len(t.lo))):
        low, following = t.lo[i], t.low(i + 1)
        if low in BE or low in MODALS:
            subject_asked = i == 1 and t.lo[0] in ("who", "what") or t.lo[0] in ("which", "what") and i > 1
            plain = following not in DETERMINERS | PRONOUNS | {"also"} and not t.word(i + 1)[:1].isupper()
            if not subject_asked or not (plain or t.lo[0] == "who" and i == 1 and low == "was") or len(t.lo) < i + 5:
                return None
            return t.put(i, i + 1, "cannot" if low == "can" else f"{low} not"), "", ""
        if low in DO:
            return _negated_inversion(t, i)
        if low in HAVE:
            return (t.put(i, i + 1, f"{low} not"), "", "") if _has_participle(t, i + 1) else None
        base = base_of(low) if i == 1 or t.lo[0] in ("which", "what") else None
        if base and low not in PARTICIPLE_ONLY and (following in ARTICLES or following in PREPOSITIONS or t.word(i + 1)[:1].isupper() or i == 1):
            return t.put(i, i + 1, f"did not {base}"), "", ""
        if low in BASE_OF_THIRD and i == 1:
            return t.put(i, i + 1, f"does not {BASE_OF_THIRD[low]}"), "", ""
    return None


def _negated_inversion(t: Text, i: int) -> tuple[str, str, str] | None:
    """ "What did the king build …" -> "What did the king not build …"."""
    for j in range(i + 2, min(i + 7, len(t.lo))):
        if t.lo[j] in COMMON_VERBS and t.lo[j - 1] not in ARTICLES | PREPOSITIONS and t.w[j].islower():
            return t.put(j, j + 1, f"not {t.lo[j]}"), "", ""
    return None


PAST_ASKED = _words("did was were had") | frozenset(BASE_OF_PAST)


def _question_extra(t: Text, facts: Facts, pool: Pool, rng: Random, answer: str) -> tuple[str, str, str] | None:
    s = t.s.rstrip()
    if not s.endswith("?") or len(t.w) < 5:
        return None
    s = s[:-1].rstrip()
    lower = s == s.lower()
    if t.lo[-2] in PREPOSITIONS or t.lo[-2] in ("do", "called", "named", "known", "that"):
        return None
    options = []
    if not ASKS_WHEN.search(s) and not YEAR.search(s) and not t.bag.isdisjoint(PAST_ASKED):
        years = facts.years or [pool.some_year(rng)]
        first, last = years[0], years[-1]
        far = first - rng.choice((40, 60, 75, 110, 150)) + rng.randint(-9, 9)
        near = rng.choice(years) + rng.choice((-8, -5, -3, 3, 6))
        options += [f"in {far}", f"before {far}"]
        if near not in facts.years:
            options.append(f"in {near}")
        if last < 2000 and last != first:
            options.append(f"after {last + rng.randint(5, 15)}")
    if not ASKS_WHERE.search(s):
        own = [n.text for n in facts.names.values() if n.sort == "place" and PLAIN_PLACE.fullmatch(n.text) and n.text.lower() not in s.lower() and n.text.lower() not in answer]
        place = rng.choice(own) if own and rng.random() < 0.4 else None
        if not place:
            place = rng.choice(pool.places) if pool.places else None
            place = place if place and place.lower() not in facts.low else None
        if place and not re.search(rf"\bin {re.escape(place)}\b", s, re.I):
            options.append(f"in {place}")
    if 0 < len(answer.split()) <= 4 and t.low(0) in ("who", "which", "what") and t.low(1) not in ("is", "are", "does"):
        options.append(f"other than {answer}")
    if t.low(1) == "did" or " did " in s:
        options += ["for the second time", "for the last time"]
    options = [o for o in options if o.lower() not in facts.low]
    if not options:
        return None
    extra = rng.choice(options)
    return f"{s} {extra.lower() if lower else extra}?", extra, ""


def _question_wh(t: Text, facts: Facts, rng: Random) -> tuple[str, str, str] | None:
    """Ask for the time, place or cause of something the passage gives none of."""
    low = t.lo
    if len(low) < 5:
        return None
    if low[0] in ("when", "where") and low[1] in ("did", "was", "were", "is", "are", "does", "do"):
        end = 1
    elif low[0] in ("in", "on") and low[1] in ("what", "which") and low[2] in ("year", "city", "country", "date", "month", "state", "town") and low[3] in ("did", "was", "were"):
        end = 3
    else:
        return None
    if low[1] in ("is", "are") or low[-2] in PREPOSITIONS or re.search(r"\b(?:born|die[ds]?)\b", t.s):
        return None
    asked = content(t.s)
    near = [s for s, words in zip(facts.sentences, facts.sets, strict=True) if len(asked & words) >= 2] or facts.sentences
    text = " ".join(near)
    options = []
    if not CAUSE.search(text):
        options.append("why")
    if not ASKS_WHEN.search(t.s) and not TIME_WORDS.search(text) and not facts.years:
        options.append("when")
    if not ASKS_WHERE.search(t.s) and not PLACE_WORDS.search(text) and not re.search(r"\b(?:in|at|to|from) (?:the|a|an) ", text):
        options.append("where")
    if not options:
        return None
    return t.put(0, end, in_case_of(t.w[0], rng.choice(options))), "", ""


# In a lower-case question these may be parts of names.
OPEN_OPPOSITES = frozenset(OPPOSITES) - _words(
    "north south east west northern southern eastern western king queen prince princess united new old high public duke emperor"
)


def alter_question(question: str, passage: str, answer: str | None, pool: Pool, rng: Random) -> list[tuple[str, str]]:
    """(kind, altered question), one for each kind that applies."""
    facts, t = study(passage), Text(question)
    if len(t.w) < 4:
        return []
    answer = (answer or "").strip().lower()
    short = answer if len(answer.split()) <= 8 else ""
    names = _question_names(t, facts)
    lower = question == question.lower()
    polar = t.lo[0] in AUX  # a yes/no question stays answerable: the answer turns
    made = (
        ("name", _question_name(t, names, facts, pool, rng, short)),
        ("number", None if polar else _alter_number(t, facts, rng)),
        ("date", None if polar else _alter_date(t, facts, rng)),
        ("antonym", None if polar else _alter_antonym(t, rng, OPEN_OPPOSITES if lower else None)),
        ("negation", _question_negation(t)),
        ("noun", _question_noun(t, facts, rng, short)),
        ("superlative", None if polar else _question_superlative(t, facts, rng)),
        ("extra", None if polar else _question_extra(t, facts, pool, rng, short)),
        ("wh", _question_wh(t, facts, rng)),
    )
    rows = []
    for kind, result in made:
        if result and result[0].lower() != question.lower() and not _told(facts, *result):
            rows.append((kind, result[0].lower() if lower else result[0]))
    return rows
