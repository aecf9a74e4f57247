//! Tests of the merged layers: precedence, refused values, and the model of each role.

use std::path::Path;

use super::*;
use crate::error::CommandError;
use crate::machine::{Environment, Folders};

const MODEL: &str = "qwen2.5-coder-1.5b";

struct World<'a> {
    file: Option<&'a str>,
    variables: &'a [(&'a str, &'a str)],
    given: Given,
    embedded: EmbeddedState,
}

impl Default for World<'_> {
    fn default() -> Self {
        Self { file: None, variables: &[], given: Given::default(), embedded: EmbeddedState::Absent }
    }
}

impl World<'_> {
    fn merged(&self) -> Result<(Merged, Settings, Sections, Environment), CommandError> {
        let pairs = self.variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let environment = Environment::new(pairs);
        let source = Source { path: "/config.toml".into(), text: self.file.map(str::to_owned) };
        let merged = merge(&source, &environment, &self.given)?;
        let (settings, sections) =
            resolve(&merged, &Folders::of(Path::new("/home/ada"), Path::new("/work")))?;
        Ok((merged, settings, sections, environment))
    }

    fn settings(&self) -> Settings {
        self.merged().unwrap().1
    }

    /// Each role with its model; roles that share a model are grouped.
    fn models(&self) -> String {
        let found = self.merged().and_then(|(mut merged, _, sections, environment)| {
            let state = |_: &str| self.embedded.clone();
            let embedded = Embedded { catalogue: vec![MODEL.to_owned()], state: &state };
            choose(&mut merged, &sections, &environment, &embedded)
        });
        match found {
            Err(error) => format!("{error}\nhint: {}", error.next_step().unwrap_or("none")),
            Ok(models) => models
                .distinct()
                .into_iter()
                .map(|choice| {
                    let roles: Vec<&str> = models
                        .iter()
                        .filter(|(_, known)| *known == choice)
                        .map(|(role, _)| role.code())
                        .collect();
                    let key = choice.key_env.as_deref().unwrap_or("no key");
                    format!(
                        "{}: {:?} {} {} {key}",
                        roles.join(" "),
                        choice.provider,
                        choice.base_url,
                        choice.model
                    )
                })
                .collect::<Vec<_>>()
                .join("\n"),
        }
    }
}

fn models(file: &str, variables: &[(&str, &str)]) -> String {
    World { file: Some(file), variables, ..World::default() }.models()
}

#[test]
fn without_a_choice_what_is_there_is_taken() {
    insta::assert_snapshot!(models("", &[]), @r"
    no model is set up
    hint: run `artoo setup` to choose one: a local server, a key, or the embedded model
    ");
    insta::assert_snapshot!(models("", &[("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k")]), @"R1 R2 R3 R4a R4b: Openai https://api.openai.com/v1 gpt-5-mini OPENAI_API_KEY");
    insta::assert_snapshot!(models("", &[("ANTHROPIC_API_KEY", "k")]), @"R1 R2 R3 R4a R4b: Anthropic https://api.anthropic.com claude-sonnet-4-5 ANTHROPIC_API_KEY");
    let installed = World { embedded: EmbeddedState::Installed, ..World::default() };
    insta::assert_snapshot!(installed.models(), @"R1 R2 R3 R4a R4b: Local  qwen2.5-coder-1.5b no key");
    let damaged =
        World { embedded: EmbeddedState::Damaged("its SHA-256 is 00".to_owned()), ..World::default() };
    insta::assert_snapshot!(damaged.models(), @r"
    the file of the embedded model qwen2.5-coder-1.5b is damaged: its SHA-256 is 00
    hint: fetch it again: artoo model pull
    ");
}

#[test]
fn the_variables_of_openai_clients_outweigh_the_file_but_a_key_alone_does_not() {
    let file = "[brain]\nprovider = \"local\"\n[tool]\nmodel = \"t\"";
    let server = [("OPENAI_BASE_URL", "http://127.0.0.1:9"), ("OPENAI_MODEL", "m")];
    insta::assert_snapshot!(models(file, &server), @"R1 R2 R3 R4a R4b: Openai http://127.0.0.1:9 m no key");
    let with_key =
        [("OPENAI_BASE_URL", "http://127.0.0.1:9"), ("OPENAI_MODEL", "m"), ("OPENAI_API_KEY", "k")];
    insta::assert_snapshot!(models(file, &with_key), @"R1 R2 R3 R4a R4b: Openai http://127.0.0.1:9 m OPENAI_API_KEY");
    let installed = World {
        file: Some("[brain]\nprovider = \"local\""),
        variables: &[("OPENAI_API_KEY", "k")],
        embedded: EmbeddedState::Installed,
        ..World::default()
    };
    insta::assert_snapshot!(installed.models(), @"R1 R2 R3 R4a R4b: Local  qwen2.5-coder-1.5b no key");
    insta::assert_snapshot!(models("", &[("OPENAI_BASE_URL", "http://127.0.0.1:9")]), @r"
    no model is named for the server http://127.0.0.1:9
    hint: set OPENAI_MODEL, pass --model NAME, or run `artoo setup` to see what it serves
    ");
}

#[test]
fn tiers_and_roles_inherit_what_they_do_not_say() {
    let file = r#"
        [brain]
        provider = "openai"
        base_url = "http://big:1"
        model = "big"
        key_env = "BIG_KEY"
        [tool]
        model = "small"
        [roles.executor]
        provider = "anthropic"
        model = "other"
        key_env = "OTHER_KEY"
    "#;
    insta::assert_snapshot!(models(file, &[("BIG_KEY", "1"), ("OTHER_KEY", "2")]), @r"
    R1 R2 R4b: Openai http://big:1 big BIG_KEY
    R3: Anthropic https://api.anthropic.com other OTHER_KEY
    R4a: Openai http://big:1 small BIG_KEY
    ");
    insta::assert_snapshot!(models(file, &[("OTHER_KEY", "2")]), @r"
    [brain] takes its key from BIG_KEY, which is not set
    hint: export BIG_KEY=..., or choose another model: artoo setup
    ");
}

#[test]
fn a_key_goes_only_where_its_owner_sent_it() {
    let file = "[brain]\nbase_url = \"http://other:1\"\nmodel = \"m\"";
    insta::assert_snapshot!(models(file, &[("OPENAI_API_KEY", "k")]), @"R1 R2 R3 R4a R4b: Openai http://other:1 m no key");
    let named = format!("{file}\nkey_env = \"OPENAI_API_KEY\"");
    insta::assert_snapshot!(models(&named, &[("OPENAI_API_KEY", "k")]), @"R1 R2 R3 R4a R4b: Openai http://other:1 m OPENAI_API_KEY");
}

#[test]
fn a_judge_weaker_than_the_planner_is_refused() {
    let file = "[brain]\nbase_url = \"http://a\"\nmodel = \"big\"\n[tool]\nmodel = \"small\"\n[roles.meta_validator]\nmodel = \"small\"";
    insta::assert_snapshot!(models(file, &[]), @r"
    the judge of the whole may not work with a weaker model than the planner: small against big, and it is the model of the tool tier
    hint: remove [roles.meta_validator], or name a model that is at least as strong as the planner's
    ");
}

#[test]
fn an_option_for_every_role_silences_the_file() {
    let given = Given {
        for_every_role: vec![
            ("--base-url", "provider", "openai".into()),
            ("--base-url", "base_url", "http://o".into()),
            ("--model", "model", "o".into()),
        ],
        ..Given::default()
    };
    let file = "[brain]\nprovider = \"anthropic\"\nkey_env = \"X\"\n[roles.planner]\nmodel = \"p\"";
    insta::assert_snapshot!(World { file: Some(file), given, ..World::default() }.models(), @"R1 R2 R3 R4a R4b: Openai http://o o no key");
    let only_model =
        |name: &str| Given { for_every_role: vec![("--model", "model", name.into())], ..Given::default() };
    insta::assert_snapshot!(World { given: only_model("qwen2.5-coder-1.5"), ..World::default() }.models(), @r"
    there is no server for the model `qwen2.5-coder-1.5`, and it is no embedded model
    hint: did you mean `qwen2.5-coder-1.5b`? for a server's model, add --base-url URL
    ");
    let installed =
        World { given: only_model(MODEL), embedded: EmbeddedState::Installed, ..World::default() };
    insta::assert_snapshot!(installed.models(), @"R1 R2 R3 R4a R4b: Local  qwen2.5-coder-1.5b no key");
}

#[test]
fn each_layer_outweighs_the_one_below() {
    let file = "profile = \"own\"\n[run]\nmax_replans = 1\ntime_budget = \"1m\"\nworkspace = \"rel\"\n[profiles.own.run]\ntime_budget = \"2m\"\nstrict = true";
    let world = World {
        file: Some(file),
        variables: &[("ARTOO_TIMEOUT", "9s"), ("ARTOO_MAX_REPLANS", "2")],
        ..World::default()
    };
    let settings = world.settings();
    let minutes = |settings: &Settings| settings.budget(true).as_secs() / 60;
    assert_eq!((minutes(&settings), settings.strict, settings.max_replans), (2, true, 2));
    assert_eq!(settings.workspace, Path::new("/work/rel"));
    assert_eq!(settings.data_dir, Path::new("/home/ada/.artoo"));
    assert_eq!(settings.timeout.map(|time| time.as_secs()), Some(9));
    let given = Given { options: vec![("--max-replans", "run.max_replans", 0.into())], ..Given::default() };
    assert_eq!(World { given, ..world }.settings().max_replans, 0);
}

/// The specification's five minutes, and thirty for the embedded model; a configured budget applies to both.
#[test]
fn each_kind_of_model_has_its_time_budget() {
    let budgets =
        |world: World<'_>| [true, false].map(|embedded| world.settings().budget(embedded).as_secs() / 60);
    assert_eq!(budgets(World::default()), [30, 5]);
    let said = World { file: Some("[run]\ntime_budget = \"2m\""), ..World::default() };
    assert_eq!(budgets(said), [2, 2]);
}

#[test]
fn mistakes_name_their_layer() {
    let refusal = |world: World<'_>| {
        let error = world.merged().unwrap_err();
        format!("{error}\nhint: {}", error.next_step().unwrap_or("none"))
    };
    let set = |text: &str| World {
        given: Given { set: vec![text.parse().unwrap()], ..Given::default() },
        ..World::default()
    };
    insta::assert_snapshot!(refusal(World { variables: &[("ARTOO_TIMEOUT", "soon")], ..World::default() }), @r"
    ARTOO_TIMEOUT (run.timeout): `soon` is no length of time; write for example 90s, 5m or 1h30m
    hint: see: artoo config schema
    ");
    insta::assert_snapshot!(refusal(World { variables: &[("ARTOO_SANDBOX", "none")], ..World::default() }), @r"
    ARTOO_SANDBOX (run.sandbox): unknown variant `none`, expected one of `read-only`, `workspace-write`, `full-access`
    hint: see: artoo config schema
    ");
    insta::assert_snapshot!(refusal(set("run.max_replan=1")), @r"
    -c run.max_replan: unknown key `max_replan` in [run]
    hint: did you mean `run.max_replans`?
    ");
    insta::assert_snapshot!(refusal(set("run.max_replans=many")), @r#"
    -c (run.max_replans): invalid type: string "many", expected u32
    hint: see: artoo config schema
    "#);
    insta::assert_snapshot!(refusal(World { given: Given { profile: Some("spec-v0.9".into()), ..Given::default() }, ..World::default() }), @r"
    there is no profile `spec-v0.9`
    hint: did you mean `spec-v0.8`?
    ");
}

#[test]
fn the_literal_rules_are_a_profile_of_every_installation() {
    let given = Given { profile: Some("spec-v0.8".into()), ..Given::default() };
    let settings = World { given, ..World::default() }.settings();
    assert_eq!(settings.rules, artoo_ggs_core::Profile::SpecV08);
}

#[test]
fn the_file_lies_in_the_users_config_folder() {
    let check = |variables: &[(&str, &str)], expected: &str| {
        let environment =
            Environment::new(variables.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        assert_eq!(path(&environment, Path::new("/home/ada")), Path::new(expected));
    };
    check(&[], "/home/ada/.config/artoo/config.toml");
    check(&[("XDG_CONFIG_HOME", "/x")], "/x/artoo/config.toml");
    check(&[("XDG_CONFIG_HOME", "relative")], "/home/ada/.config/artoo/config.toml");
    check(&[("ARTOO_CONFIG", "/my.toml")], "/my.toml");
}

#[test]
fn the_schema_describes_what_is_read() {
    let validator = jsonschema::validator_for(&config_schema()).unwrap();
    let check = |text: &str, valid: bool| {
        let table: toml::Table = text.parse().unwrap();
        assert_eq!(validator.is_valid(&serde_json::to_value(&table).unwrap()), valid, "{text}");
        let world = World { file: Some(text), ..World::default() };
        assert_eq!(world.merged().is_ok(), valid, "{text}");
    };
    check("", true);
    check(
        r#"
        profile = "careful"
        [brain]
        provider = "openai"
        base_url = "http://localhost:11434"
        model = "qwen3"
        [tool]
        provider = "local"
        [roles.executor]
        model = "other"
        [run]
        sandbox = "read-only"
        time_budget = "1h30m"
        max_replans = 2
        [controller]
        rules = "spec-v0.8"
        [http]
        proxy = "none"
        [profiles.careful.run]
        strict = true
        "#,
        true,
    );
    check("[run]\nmax_replans = -1", false);
    check("[run]\nsandbox = \"none\"", false);
    check("[controller]\nrules = \"v1\"", false);
    check("[brain]\nkey = \"sk\"", false);
    check("[profiles.x]\nprofile = \"y\"", false);
}

#[test]
fn prices_belong_to_the_models_that_a_run_asks() {
    let priced = |file: &str, limited: bool| {
        let world = World { file: Some(file), ..World::default() };
        let found = world.merged().and_then(|(mut merged, _, sections, environment)| {
            let state = |_: &str| EmbeddedState::Installed;
            let embedded = Embedded { catalogue: vec![MODEL.to_owned()], state: &state };
            let models = choose(&mut merged, &sections, &environment, &embedded)?;
            prices(&models, &sections.prices, limited)
        });
        match found {
            Err(error) => format!("{error}\nhint: {}", error.next_step().unwrap_or("none")),
            Ok(prices) => serde_json::to_string(&prices).unwrap(),
        }
    };
    let server = "[brain]\nprovider = \"openai\"\nbase_url = \"http://a\"\nmodel = \"big-4.1\"\n";
    let price = "[prices.\"big-4.1\"]\nprompt = 2\ncompletion = 8.5\ncurrency = \"USD\"\n";
    insta::assert_snapshot!(priced(&format!("{server}{price}"), true));
    insta::assert_snapshot!(priced(server, false));
    insta::assert_snapshot!(priced(server, true));
    insta::assert_snapshot!(priced(&format!("{server}[prices.\"big-4.1\"]\nprompt = 2\n"), false));
    insta::assert_snapshot!(priced(&format!("{server}[prices.\"big-4.1\"]\nprompt = -2\n"), false));
    let other = "[roles.executor]\nmodel = \"small\"\n[prices.small]\nprompt = 1\ncompletion = 1\ncurrency = \"EUR\"\n";
    insta::assert_snapshot!(priced(&format!("{server}{price}{other}"), false));
    insta::assert_snapshot!(priced("[brain]\nprovider = \"local\"\n", true));
}
