//! A planner of the program's own: the default one drafts, and what is too long for this program is cut. `docs/roles/planner.md`
//! shows a plan without a draft. The model follows a script.

mod scene;

use std::sync::Arc;

use artoo::{llm::LlmClient, roles::planner::*, types::Plan};

struct Short(ModelPlanner);

#[async_trait::async_trait]
impl Planner for Short {
    async fn plan(&self, cx: &PlanContext, model: &Arc<dyn LlmClient>) -> Result<Plan, PlanError> {
        let mut plan = self.0.plan(cx, model).await?;
        plan.subtasks.truncate(3);
        Ok(plan)
    }

    async fn failure_report(
        &self,
        cx: &FailureContext,
        model: &Arc<dyn LlmClient>,
    ) -> Result<String, PlanError> {
        self.0.failure_report(cx, model).await
    }
}

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn std::error::Error>> {
    scene::accepted("Where is my list?", |builder| builder.planner(Short(ModelPlanner::default()))).await
}
