//! The profiles that travel in the binary: settings and a sample corpus each.

/// A profile's settings and documents.
pub(crate) struct Profile {
    pub(crate) name: &'static str,
    pub(crate) settings: &'static str,
    /// A question its corpus answers, and one it does not.
    pub(crate) examples: (&'static str, &'static str),
    /// File name and text.
    pub(crate) corpus: &'static [(&'static str, &'static str)],
    /// File name and text of the vocabulary that defines its terms, if it has one.
    pub(crate) vocabulary: Option<(&'static str, &'static str)>,
    /// What its editors prepared, if they did.
    pub(crate) memory: Option<&'static str>,
    /// Its people, if it has any.
    pub(crate) people: Option<People>,
    /// File name and statements of the database its tools look at, if it has tools.
    pub(crate) database: Option<(&'static str, &'static str)>,
}

/// The people of a profile, and who asks in its demonstration.
pub(crate) struct People {
    pub(crate) text: &'static str,
    pub(crate) tenant: &'static str,
    pub(crate) user: &'static str,
    /// Whether the first folder of a document's path is its tenant.
    pub(crate) has_tenant_folders: bool,
}

macro_rules! corpus {
    ($profile:literal, $($file:literal),+ $(,)?) => {
        &[$(($file, include_str!(concat!("../../../profiles/", $profile, "/corpus/", $file)))),+]
    };
}

const BOOK: Profile = Profile {
    name: "book",
    settings: include_str!("../../../profiles/book/vouch.yaml"),
    examples: ("How tall is the mast?", "What does a ceilometer cost?"),
    corpus: corpus!(
        "book",
        "01-what-a-small-network-is-for.md",
        "02-a-history-of-the-network.md",
        "03-choosing-the-ground.md",
        "04-mast-screen-and-sensors.md",
        "05-power.md",
        "06-connecting-the-stations.md",
        "07-calibration.md",
        "08-quality-control.md",
        "09-the-archive.md",
        "10-maintenance-and-safety.md",
    ),
    vocabulary: None,
    memory: None,
    people: None,
    database: None,
};

const ARCHITECTURE: Profile = Profile {
    name: "architecture",
    settings: include_str!("../../../profiles/architecture/vouch.yaml"),
    examples: ("What is CIMXML?", "What is a digital twin?"),
    corpus: corpus!(
        "architecture",
        "adr/0001-record-architecture-decisions.md",
        "adr/0002-two-control-sites.md",
        "adr/0003-enterprise-service-bus.md",
        "adr/0004-zoned-networks.md",
        "adr/0005-historian-on-relational-storage.md",
        "adr/0006-per-application-user-directories.md",
        "adr/0007-asset-register-as-source.md",
        "adr/0008-serial-telecontrol.md",
        "adr/0009-model-exchange-by-file-transfer.md",
        "adr/0010-message-broker.md",
        "adr/0011-rest-interfaces-through-gateway.md",
        "adr/0012-cim-standard.md",
        "adr/0013-shapefile-exports.md",
        "adr/0014-persistent-model-identifiers.md",
        "adr/0015-encryption-in-transit.md",
        "adr/0016-direct-database-links.md",
        "adr/0018-single-sign-on.md",
        "adr/0019-iec-61850-for-new-substations.md",
        "adr/0020-data-mesh-for-analytics.md",
        "adr/0021-central-analytics-platform.md",
        "adr/0023-mqtt-for-low-voltage-sensors.md",
        "adr/0024-model-exchange-through-gateway.md",
        "adr/0025-one-state-estimator.md",
        "adr/0026-log-based-event-streaming.md",
        "adr/0027-container-platform.md",
        "adr/0028-time-series-storage.md",
        "adr/0030-central-logging.md",
        "adr/0031-vocabulary-service.md",
        "adr/0032-planning-replica.md",
        "adr/0033-hybrid-key-exchange.md",
        "adr/0034-redispatch-messages.md",
        "adr/0035-public-cloud-for-forecasting.md",
        "policies/01-data-retention-policy.md",
        "policies/02-cim-model-exchange-policy.md",
        "policies/03-access-control-policy.md",
        "policies/04-patching-policy.md",
        "policies/05-encryption-key-policy.md",
        "policies/06-backup-and-recovery-policy.md",
        "policies/07-interface-lifecycle-policy.md",
        "principles/01-model-once-exchange-often.md",
        "principles/02-open-standards-first.md",
        "principles/03-least-privilege.md",
        "principles/04-encrypt-by-default.md",
        "principles/05-defence-in-depth.md",
        "principles/06-every-data-set-has-an-owner.md",
        "principles/07-control-systems-come-first.md",
        "principles/08-reuse-before-buy-before-build.md",
        "principles/09-design-for-replacement.md",
    ),
    vocabulary: Some(("vocabulary.ttl", include_str!("../../../profiles/architecture/vocabulary.ttl"))),
    memory: None,
    people: None,
    database: None,
};

const LECTURES: Profile = Profile {
    name: "lectures",
    settings: include_str!("../../../profiles/lectures/vouch.yaml"),
    examples: ("How long is a turn of water?", "Where was Maren Oldcastle born?"),
    corpus: corpus!(
        "lectures",
        "lectures/01-turn-of-water.vtt",
        "lectures/02-keepers-day.vtt",
        "lectures/03-water-judge.srt",
        "lectures/04-dry-year-order.vtt",
        "lectures/05-measuring-board.vtt",
        "lectures/06-slope-and-silt.vtt",
        "lectures/07-spring-cleaning.srt",
        "lectures/08-breach-and-flood.vtt",
        "lectures/09-night-turn.vtt",
        "lectures/10-debt-of-water.vtt",
        "lectures/11-debt-and-the-field.srt",
        "lectures/12-never-refused.vtt",
        "lectures/13-larch-and-clay.vtt",
        "lectures/14-votes-and-rule-book.srt",
        "works/channel-book.md",
        "works/verses.md",
    ),
    vocabulary: Some(("vocabulary.ttl", include_str!("../../../profiles/lectures/vocabulary.ttl"))),
    memory: Some(include_str!("../../../profiles/lectures/memory.yaml")),
    people: None,
    database: None,
};

const HANDBOOK: Profile = Profile {
    name: "handbook",
    settings: include_str!("../../../profiles/handbook/vouch.yaml"),
    examples: ("Can I carry unused leave into next year?", "What is the pay band of a deckhand?"),
    corpus: corpus!(
        "handbook",
        "hollow/mill-board-complaints.md",
        "hollow/mill-board-reserves.md",
        "hollow/mill-hygiene.md",
        "hollow/mill-membership.md",
        "hollow/mill-ovens-vans.md",
        "hollow/mill-pay-surplus.md",
        "hollow/mill-shifts.md",
        "hollow/mill-time-off.md",
        "tarn/approval-limits.md",
        "tarn/budget-calendar.md",
        "tarn/company-cards.md",
        "tarn/conduct-speaking-up.md",
        "tarn/crew-rest-hours.md",
        "tarn/crew-uniform.md",
        "tarn/discipline-managers.md",
        "tarn/emergency-numbers.md",
        "tarn/equipment-devices.md",
        "tarn/expenses-mileage.md",
        "tarn/fog-cancellations.md",
        "tarn/grievance-handling.md",
        "tarn/it-accounts.md",
        "tarn/leave-annual.md",
        "tarn/leave-parental.md",
        "tarn/leave-sick.md",
        "tarn/lifejackets-drills.md",
        "tarn/overtime-toil.md",
        "tarn/pay-bands.md",
        "tarn/payroll-pension.md",
        "tarn/probation-notice.md",
        "tarn/purchasing.md",
        "tarn/recruitment-panels.md",
        "tarn/sickness-cases.md",
        "tarn/training-certificates.md",
        "tarn/visitors-parking.md",
        "tarn/working-from-home.md",
        "tarn/yard-safety.md",
    ),
    vocabulary: None,
    memory: None,
    people: Some(People {
        text: include_str!("../../../profiles/handbook/people.yaml"),
        tenant: "tarn",
        user: "lena",
        has_tenant_folders: true,
    }),
    database: None,
};

const SUPPORT: Profile = Profile {
    name: "support",
    settings: include_str!("../../../profiles/support/vouch.yaml"),
    examples: ("PON LED blinking red on my router", "My network is broken"),
    corpus: corpus!(
        "support",
        "billing/01-reading-your-invoice.md",
        "billing/02-why-bill-higher.md",
        "billing/03-payment-methods.md",
        "billing/04-due-dates-late-fees.md",
        "billing/05-refunds-complaints.md",
        "billing/06-plan-prices.md",
        "billing/07-early-termination.md",
        "billing/08-roaming.md",
        "billing/09-premium-numbers.md",
        "billing/10-direct-debit.md",
        "billing/11-e-invoice.md",
        "billing/12-deposits.md",
        "billing/13-discounts.md",
        "general/01-shops-hours.md",
        "general/02-contacting-us.md",
        "general/03-moving-house.md",
        "general/04-ordering-installation.md",
        "general/05-coverage-check.md",
        "general/06-privacy-identity.md",
        "technical/01-led-indicators-ont.md",
        "technical/02-led-indicators-router.md",
        "technical/03-bridge-mode.md",
        "technical/04-apn-settings.md",
        "technical/05-wifi-bands.md",
        "technical/06-slow-wifi.md",
        "technical/07-no-internet-checklist.md",
        "technical/08-dsl-sync.md",
        "technical/09-lte-5g-antenna.md",
        "technical/10-tv-box-errors.md",
        "technical/11-firmware.md",
        "technical/12-factory-reset.md",
        "technical/13-ipv6-cgnat-public-ip.md",
        "technical/14-port-forwarding.md",
        "technical/15-mesh.md",
        "technical/16-voip-phone.md",
        "technical/17-speed-test.md",
        "technical/18-outage-map.md",
        "technical/19-parental-control.md",
        "technical/20-vpn-issues.md",
        "technical/21-email-client.md",
    ),
    vocabulary: None,
    memory: None,
    people: Some(People {
        text: include_str!("../../../profiles/support/people.yaml"),
        tenant: "default",
        user: "u-1007",
        has_tenant_folders: false,
    }),
    database: Some(("billing.db", include_str!("../../../profiles/support/billing.sql"))),
};

const ALL: &[Profile] = &[BOOK, ARCHITECTURE, LECTURES, HANDBOOK, SUPPORT];

/// The profile of a name.
pub(crate) fn find(name: &str) -> Result<&'static Profile, crate::exit::Usage> {
    ALL.iter().find(|profile| profile.name == name).ok_or_else(|| {
        let known: Vec<&str> = ALL.iter().map(|profile| profile.name).collect();
        crate::exit::Usage(format!("there is no profile '{name}'; available profiles: {}", known.join(", ")))
    })
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "figures are compared as they are written")]
mod tests {
    use vouch_engine::policy::GatePolicy;

    use super::ALL;

    /// Every file below a folder, by its path from there.
    fn below(folder: &std::path::Path, prefix: &str) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("the corpus is there").map(|entry| entry.expect("readable"));
        entries
            .flat_map(|entry| {
                let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
                if entry.path().is_dir() { below(&entry.path(), &format!("{name}/")) } else { vec![name] }
            })
            .collect()
    }

    #[test]
    fn the_lectures_have_every_figure_of_the_document_they_follow() {
        let policies = crate::settings::parse_text("lectures", super::LECTURES.settings).expect("settings").policies;
        let (judge, memory) = (&policies.judge, &policies.memory);
        assert_eq!((judge.relevance_floor, judge.relevance_floor_unread), (0.18, 0.45));
        assert_eq!((policies.retrieve.pool_max, judge.passages_max), (60, 16));
        assert_eq!((judge.duplicate_similarity, judge.passages_per_document_max), (0.9, 3));
        assert_eq!(judge.kind_reserves, [("library".to_owned(), 2), ("verse".to_owned(), 2)]);
        assert_eq!(judge.kind_boost, 0.15);
        let coverage = GatePolicy::Coverage {
            strong: 0.65,
            fair: 0.55,
            fair_passages: 2,
            main_kind: Some("lecture".to_owned()),
            sure_reading: None,
        };
        assert!(judge.gates.contains(&coverage) && judge.gates.contains(&GatePolicy::BailOut { below: 0.40 }));
        assert_eq!((memory.pinned_at_least, memory.border_from, memory.border_judge_at_least), (0.85, 0.70, 0.50));
        assert_eq!((memory.note_at_least, memory.strong_note_at_least), (0.60, 0.70));
        assert_eq!((memory.strong_references_min, memory.reference_relevance), (3, 0.75));
        let diversity = judge.diversity.expect("diversity");
        assert_eq!((diversity.fetch, diversity.keep), (24, 8));
    }

    #[test]
    fn every_file_of_a_corpus_is_in_the_binary() {
        for profile in ALL {
            let folder = format!("{}/../../profiles/{}/corpus", env!("CARGO_MANIFEST_DIR"), profile.name);
            let mut on_disk = below(std::path::Path::new(&folder), "");
            on_disk.sort();
            let embedded: Vec<String> = profile.corpus.iter().map(|(name, _)| (*name).to_owned()).collect();
            assert_eq!(on_disk, embedded);
        }
    }
}
