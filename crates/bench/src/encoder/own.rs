//! This encoder, as Vouch runs it.

use vouch_models::{
    Path,
    encoder::{Encoder, RunOutcome, Team, Tokens},
};

use super::{Runtime, Setting};

struct Own {
    path: Path,
    team: Team,
    reads_pairs: bool,
}

pub(super) fn load(setting: Setting, path: Path) -> Option<Box<dyn Runtime>> {
    let encoder = Encoder::read(setting.weights, path)?;
    let team = Team::new(encoder, setting.threads);
    Some(Box::new(Own { path, team, reads_pairs: setting.reads_pairs }))
}

impl Runtime for Own {
    fn name(&self) -> String {
        format!("vouch ({})", self.path.name())
    }

    fn run(&mut self, texts: &[Vec<u32>]) -> anyhow::Result<()> {
        let second_at = |ids: &[u32]| if self.reads_pairs { ids.len() / 2 } else { ids.len() };
        let tokens: Vec<Tokens> = texts.iter().map(|ids| Tokens { ids, second_at: second_at(ids) }).collect();
        let rows = self.team.run(&tokens, None, |rows| rows.first().map(|line| line.0));
        anyhow::ensure!(rows.iter().all(|read| matches!(read, RunOutcome::Done(_))), "a text was not read");
        Ok(())
    }
}
