//! What is wanted → the address to ask, below the server's base.
//!
//! The server has no way to write an asterisk that is not a wildcard: a backslash before it is searched for, too. A key
//! with one is sent as it is and finds too much; whoever reads the answer keeps only labels that are the key.

use reqwest::Url;

/// What the search is to tell of a concept beside its labels and code.
const FIELDS: &str = "definition scopeNote broader narrower related";

pub(super) struct Addresses {
    base: Url,
    vocabularies: Vec<String>,
}

/// One search: what labels must be, and in which language, if one is named.
pub(super) struct Search<'a> {
    query: String,
    language: &'a str,
    extent: Extent,
}

enum Extent {
    /// All concepts found, with what they mean.
    Whole,
    /// The names of this many.
    Names(usize),
}

impl<'a> Search<'a> {
    /// For labels that are this text. The server is not asked to show each concept once: it would show one label of
    /// those that matched, and where it matches by words that need not be the one that is the key.
    pub(super) fn whole(text: &str, language: &'a str) -> Self {
        Self { query: text.to_owned(), language, extent: Extent::Whole }
    }

    /// For labels that start with this text.
    pub(super) fn starting(text: &str, language: &'a str, hits_max: usize) -> Self {
        Self { query: format!("{text}*"), language, extent: Extent::Names(hits_max) }
    }
}

impl Addresses {
    pub(super) fn new(base: Url, vocabularies: Vec<String>) -> Self {
        Self { base, vocabularies }
    }

    pub(super) fn search(&self, search: &Search<'_>) -> Url {
        let (only, several) = match self.vocabularies.as_slice() {
            [] => (None, None),
            [one] => (Some(one.as_str()), None),
            more => (None, Some(more.join(" "))),
        };
        let mut address = self.below(only, "search");
        let mut parameters = address.query_pairs_mut();
        parameters.append_pair("query", &search.query);
        if !search.language.is_empty() {
            parameters.append_pair("lang", search.language);
        }
        if let Some(several) = &several {
            parameters.append_pair("vocab", several);
        }
        match search.extent {
            Extent::Whole => parameters.append_pair("fields", FIELDS),
            Extent::Names(hits_max) => {
                parameters.append_pair("unique", "true").append_pair("maxhits", &hits_max.to_string())
            }
        };
        drop(parameters);
        address
    }

    /// Everything said of one concept, in its vocabulary where that is known.
    pub(super) fn data(&self, vocabulary: Option<&str>, uri: &str) -> Url {
        let mut address = self.below(vocabulary.filter(|id| is_vocabulary_id(id)), "data");
        address.query_pairs_mut().append_pair("uri", uri).append_pair("format", "application/json");
        address
    }

    fn below(&self, vocabulary: Option<&str>, method: &str) -> Url {
        let mut address = self.base.clone();
        // A web address always has a path; the settings let no other through.
        if let Ok(mut path) = address.path_segments_mut() {
            path.pop_if_empty().extend(vocabulary).push(method);
        }
        address
    }
}

/// Whether this can stand as one step of a path and between the spaces of a list.
pub(super) fn is_vocabulary_id(id: &str) -> bool {
    let has_letter = id.chars().any(char::is_alphanumeric);
    has_letter && id.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

#[cfg(test)]
mod tests {
    use super::{Addresses, Search};

    fn search(vocabularies: &[&str], search: &Search<'_>) -> String {
        let base = "http://h/rest/v1/".parse().unwrap();
        let vocabularies = vocabularies.iter().map(|id| (*id).to_owned()).collect();
        Addresses::new(base, vocabularies).search(search).to_string()
    }

    #[test]
    fn one_vocabulary_is_a_step_of_the_path_and_several_are_a_parameter() {
        let asked = Search::starting("se", "en", 9);
        let rest = "query=se*&lang=en";
        assert_eq!(search(&[], &asked), format!("http://h/rest/v1/search?{rest}&unique=true&maxhits=9"));
        assert_eq!(search(&["a"], &asked), format!("http://h/rest/v1/a/search?{rest}&unique=true&maxhits=9"));
        let several = format!("http://h/rest/v1/search?{rest}&vocab=a+b&unique=true&maxhits=9");
        assert_eq!(search(&["a", "b"], &asked), several);
    }

    #[test]
    fn nothing_in_a_key_escapes_its_parameter() {
        let address = search(&["a"], &Search::whole("c++ & d=é/#?", ""));
        let fields = "definition+scopeNote+broader+narrower+related";
        assert_eq!(address, format!("http://h/rest/v1/a/search?query=c%2B%2B+%26+d%3D%C3%A9%2F%23%3F&fields={fields}"));
    }

    #[test]
    fn a_vocabulary_that_is_no_id_is_left_out_of_the_path() {
        let addresses = Addresses::new("http://h".parse().unwrap(), Vec::new());
        for odd in ["???", "..", "a/b", ""] {
            let address = addresses.data(Some(odd), "u");
            assert_eq!(address.as_str(), "http://h/data?uri=u&format=application%2Fjson");
        }
    }
}
