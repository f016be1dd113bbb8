//! Settings of what is written and said → policies.

use std::time::Duration;

use vouch_engine::policy::{BudgetPolicy, ComposePolicy, DecidePolicy, ReferralPolicy};

use super::{
    super::{DecideSettings, ModelSettings, Settings},
    range::{SettingError, check_range},
};

pub(super) fn compose(settings: &Settings) -> ComposePolicy {
    ComposePolicy {
        sentences_max: settings.compose.sentences_max,
        writer_timeout: Duration::from_millis(settings.compose.writer_timeout_ms),
        markers: settings.compose.citations,
        budget: budget(&settings.models),
        on_failure: settings.compose.on_failure,
        on_empty_outline: settings.compose.on_empty_outline,
        on_unsupported: settings.compose.on_unsupported,
        out_of_corpus_disclaimer: settings.compose.out_of_corpus_disclaimer.clone(),
        out_of_corpus_below: settings.compose.out_of_corpus_below,
        instructions: settings.compose.instructions.clone(),
    }
}

pub(super) fn decide(settings: &DecideSettings) -> Result<DecidePolicy, SettingError> {
    Ok(DecidePolicy {
        refusal_message: settings.refusal_message.trim().to_owned(),
        confidence: settings.confidence,
        confidence_at_least: settings.confidence_at_least,
        fallback_confidence_at_least: settings.fallback_confidence_at_least,
        route: route(settings)?,
        suggestions_max: settings.suggestions_max,
        stale_after_days: settings.stale_after_days,
        sources_block: settings.sources_block,
        no_context: settings.no_context.clone(),
    })
}

fn budget(settings: &ModelSettings) -> BudgetPolicy {
    BudgetPolicy {
        context_max: settings.context_tokens_max,
        history_max: settings.history_tokens_max,
        response_max: settings.response_tokens_max,
        system_reserved: settings.system_tokens_reserved,
    }
}

fn route(settings: &DecideSettings) -> Result<Option<ReferralPolicy>, SettingError> {
    let Some(below) = settings.route_below else { return Ok(None) };
    check_range("decide.route_below", below, 0, 100)?;
    let Some(admin_email) = settings.admin_email.clone().filter(|email| email.contains('@')) else {
        let sentence = "must be an address, since decide.route_below is set".to_owned();
        return Err(SettingError { key: "decide.admin_email", sentence });
    };
    Ok(Some(ReferralPolicy { below, admin_email }))
}
