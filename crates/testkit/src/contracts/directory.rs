//! The contract of `Directory`.

use std::sync::Arc;

use vouch_domain::{
    Fault, Person, Topic,
    person::{PEOPLE_MAX, TOPICS_MAX},
    ports::Directory,
};

use crate::corpus::TENANT;

/// Somebody of the tiny corpus's tenant, reached at an address made of their id.
#[must_use]
pub fn person(id: &str, tags: &[&str]) -> Person {
    Person {
        id: id.to_owned(),
        tenant: TENANT.to_owned(),
        email: format!("{id}@station.example"),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
    }
}

/// A topic of the tiny corpus's tenant.
#[must_use]
pub fn topic(tag: &str, owner: Option<&str>) -> Topic {
    Topic { tag: tag.to_owned(), tenant: TENANT.to_owned(), owner: owner.map(str::to_owned) }
}

/// Runs every clause, each on an empty directory.
pub async fn check(make: impl Fn() -> Arc<dyn Directory>) {
    people_are_kept_replaced_and_removed(make().as_ref()).await;
    topics_are_kept_replaced_and_removed(make().as_ref()).await;
    tenants_never_see_each_other(make().as_ref()).await;
    lists_come_in_one_order(make().as_ref()).await;
    an_owner_need_not_be_there(make().as_ref()).await;
    all_are_kept_or_none(make().as_ref()).await;
    a_full_tenant_takes_nobody_new(make().as_ref()).await;
}

async fn people_are_kept_replaced_and_removed(directory: &dyn Directory) {
    assert!(directory.people(TENANT).await.expect("people").is_empty());
    assert_eq!(directory.person(TENANT, "mira").await.expect("an answer"), None);
    directory.upsert_people(vec![person("mira", &["staff", "hr"]), person("kees", &[])]).await.expect("kept");
    let mira = directory.person(TENANT, "mira").await.expect("an answer");
    assert_eq!(mira, Some(person("mira", &["hr", "staff"])));
    // Letters and their capitals are two ids, and so are names that merely look alike to a pattern.
    assert_eq!(directory.person(TENANT, "Mira").await.expect("an answer"), None);
    assert_eq!(directory.person(TENANT, "mi%").await.expect("an answer"), None);

    let moved = Person { email: "mira@elsewhere.example".to_owned(), ..person("mira", &["it"]) };
    directory.upsert_people(vec![moved.clone()]).await.expect("kept");
    assert_eq!(directory.people(TENANT).await.expect("people"), [person("kees", &[]), moved]);
    // Of two with one id in the same call the later one stays.
    directory.upsert_people(vec![person("kees", &["a"]), person("kees", &["b"])]).await.expect("kept");
    assert_eq!(directory.person(TENANT, "kees").await.expect("an answer"), Some(person("kees", &["b"])));

    assert!(directory.remove_person(TENANT, "mira").await.expect("removed"));
    assert!(!directory.remove_person(TENANT, "mira").await.expect("removed"));
    assert_eq!(directory.person(TENANT, "mira").await.expect("an answer"), None);
    assert_eq!(directory.people(TENANT).await.expect("people").len(), 1);
}

async fn topics_are_kept_replaced_and_removed(directory: &dyn Directory) {
    assert!(directory.topics(TENANT).await.expect("topics").is_empty());
    directory.upsert_topics(vec![topic("hr", None), topic("it", Some("kees"))]).await.expect("kept");
    assert_eq!(directory.topic(TENANT, "hr").await.expect("an answer"), Some(topic("hr", None)));
    directory.upsert_topics(vec![topic("hr", Some("mira")), topic("it", None)]).await.expect("kept");
    assert_eq!(directory.topics(TENANT).await.expect("topics"), [topic("hr", Some("mira")), topic("it", None)]);
    assert!(directory.remove_topic(TENANT, "hr").await.expect("removed"));
    assert!(!directory.remove_topic(TENANT, "hr").await.expect("removed"));
    assert_eq!(directory.topic(TENANT, "hr").await.expect("an answer"), None);
}

async fn tenants_never_see_each_other(directory: &dyn Directory) {
    let strange = Person { tenant: "another".to_owned(), ..person("mira", &["secret"]) };
    let strange_topic = Topic { tenant: "another".to_owned(), ..topic("hr", Some("mira")) };
    directory.upsert_people(vec![person("mira", &["hr"]), strange.clone()]).await.expect("kept");
    directory.upsert_topics(vec![topic("hr", None), strange_topic.clone()]).await.expect("kept");
    assert_eq!(directory.person(TENANT, "mira").await.expect("an answer"), Some(person("mira", &["hr"])));
    assert_eq!(directory.people("another").await.expect("people"), [strange]);
    assert_eq!(directory.topics(TENANT).await.expect("topics"), [topic("hr", None)]);
    assert!(directory.people("a third").await.expect("people").is_empty());
    assert!(!directory.remove_person("a third", "mira").await.expect("removed"));

    assert!(directory.remove_person(TENANT, "mira").await.expect("removed"));
    assert!(directory.remove_topic(TENANT, "hr").await.expect("removed"));
    assert!(directory.person("another", "mira").await.expect("an answer").is_some());
    assert_eq!(directory.topic("another", "hr").await.expect("an answer"), Some(strange_topic));
}

async fn lists_come_in_one_order(directory: &dyn Directory) {
    let ids = ["kees", "Zed", "éva", "anna", "10", "9"];
    directory.upsert_people(ids.iter().map(|id| person(id, &[])).collect()).await.expect("kept");
    directory.upsert_topics(ids.iter().map(|tag| topic(tag, None)).collect()).await.expect("kept");
    let people = directory.people(TENANT).await.expect("people");
    let topics = directory.topics(TENANT).await.expect("topics");
    assert_eq!(people.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["10", "9", "Zed", "anna", "kees", "éva"]);
    assert_eq!(
        topics.iter().map(|one| one.tag.as_str()).collect::<Vec<_>>(),
        ["10", "9", "Zed", "anna", "kees", "éva"]
    );
}

async fn an_owner_need_not_be_there(directory: &dyn Directory) {
    directory.upsert_people(vec![person("mira", &[])]).await.expect("kept");
    directory.upsert_topics(vec![topic("hr", Some("mira")), topic("it", Some("nobody"))]).await.expect("kept");
    assert_eq!(directory.topic(TENANT, "it").await.expect("an answer"), Some(topic("it", Some("nobody"))));
    assert_eq!(directory.person(TENANT, "nobody").await.expect("an answer"), None);
    assert!(directory.remove_person(TENANT, "mira").await.expect("removed"));
    assert_eq!(directory.topic(TENANT, "hr").await.expect("an answer"), Some(topic("hr", Some("mira"))));
    assert_eq!(directory.person(TENANT, "mira").await.expect("an answer"), None);
}

async fn all_are_kept_or_none(directory: &dyn Directory) {
    directory.upsert_people(vec![person("mira", &["hr"])]).await.expect("kept");
    let wrong = Person { email: "nowhere".to_owned(), ..person("kees", &[]) };
    let error = directory.upsert_people(vec![person("mira", &["it"]), person("anna", &[]), wrong]).await;
    let error = error.expect_err("an email without a place");
    assert_eq!(error.fault, Fault::Invalid);
    assert!(error.sentence.contains("kees") && error.sentence.contains("nowhere"), "{}", error.sentence);
    assert_eq!(directory.people(TENANT).await.expect("people"), [person("mira", &["hr"])]);

    let error =
        directory.upsert_topics(vec![topic("hr", None), topic("", None)]).await.expect_err("a tag without a name");
    assert_eq!(error.fault, Fault::Invalid);
    assert!(directory.topics(TENANT).await.expect("topics").is_empty());
    directory.upsert_people(Vec::new()).await.expect("nobody is no fault");
}

async fn a_full_tenant_takes_nobody_new(directory: &dyn Directory) {
    directory
        .upsert_people((0..PEOPLE_MAX).map(|number| person(&format!("p{number}"), &[])).collect())
        .await
        .expect("kept");
    directory
        .upsert_topics((0..TOPICS_MAX).map(|number| topic(&format!("t{number}"), None)).collect())
        .await
        .expect("kept");
    let error = directory.upsert_people(vec![person("p0", &["changed"]), person("one-more", &[])]).await;
    let error = error.expect_err("too many");
    assert_eq!(error.fault, Fault::Invalid);
    assert!(error.sentence.contains(&PEOPLE_MAX.to_string()), "{}", error.sentence);
    assert_eq!(directory.person(TENANT, "p0").await.expect("an answer"), Some(person("p0", &[])));
    assert!(directory.upsert_topics(vec![topic("one-more", None)]).await.is_err());
    // Those who are there can still change, and other tenants have room of their own.
    directory.upsert_people(vec![person("p0", &["changed"])]).await.expect("kept");
    let elsewhere = Person { tenant: "another".to_owned(), ..person("first", &[]) };
    directory.upsert_people(vec![elsewhere]).await.expect("kept");
}
