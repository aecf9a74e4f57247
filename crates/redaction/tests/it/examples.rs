//! Example texts: which secrets are redacted, and which lookalikes stay.

use artoo_redaction::{Redactor, secrets_of, too_short};

fn check(text: &str, expected: &str) {
    assert_eq!(Redactor::new().apply(text), expected, "{text:?}");
}

fn stays(text: &str) {
    check(text, text);
}

#[test]
fn keys_of_services() {
    const KEY: &str = "[redacted: api key]";
    for key in [
        "sk-proj-0123456789abcdef",
        "sk-ant-api03-abc_DEF-0123456789",
        "sk_live_51H8abcdefghijklmnop",
        "ghp_0123456789abcdefghij0123456789abcdef",
        "github_pat_11ABCDEFG0aBcDeFgHiJkL_0123456789",
        "glpat-abcdefghij0123456789",
        "xoxb-123456789012-abcdefghijkl",
        "AKIAIOSFODNN7EXAMPLE",
        "AIzaSyA-0123456789abcdefghijklmnopqrstu",
        "hf_abcdefghijklmnopqrstuvwxyz012345",
        "npm_abcdefghijklmnopqrstuvwxyz0123456789",
        "AGE-SECRET-KEY-1QQPQQ0123456789ABCDEFGHIJ",
    ] {
        check(key, KEY);
        check(&format!("use {key} now"), &format!("use {KEY} now"));
        check(&format!("~/keys/{key}.txt"), &format!("~/keys/{KEY}.txt"));
        check(&format!("https://host/?k={key}&x=1"), &format!("https://host/?k={KEY}&x=1"));
        check(&format!(r"{{\n{key}\n}}"), &format!(r"{{\n{KEY}\n}}"));
        // Output may be cut anywhere, and most of a key is still a secret.
        let cut = &key[..key.len() - 4];
        check(&format!("{cut}\n[... 9 bytes"), &format!("{KEY}\n[... 9 bytes"));
    }
}

#[test]
fn tokens() {
    check("t=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "t=[redacted: token]");
    check("https://eyJhbGciOiJIUzI1NiJ9.eyJzdWIi", "https://[redacted: token]");
    check("Authorization: Bearer abcdef.ghi", "Authorization: Bearer [redacted: password]");
    check("curl -H 'authorization: basic dXNlcjpw'", "curl -H 'authorization: basic [redacted: password]'");
    check(
        "{\"Authorization\": \"Bearer abc123def\"}",
        "{\"Authorization\": \"Bearer [redacted: password]\"}",
    );
    check("sent Bearer 0123456789abcdef0123", "sent Bearer [redacted: token]");
    stays("The basic idea is simple; bearer of news, Bearer tokens-are-explained-here");
}

#[test]
fn what_is_assigned() {
    check("DB_PASSWORD=correcthorse", "DB_PASSWORD=[redacted: password]");
    check("export SMTP_PASS='p4ss word'", "export SMTP_PASS='[redacted: password]'");
    check(r#"{"api_key": "abcd1234"}"#, r#"{"api_key": "[redacted: api key]"}"#);
    check(r#"{\"token\": \"abcd1234\"}"#, r#"{\"token\": \"[redacted: token]\"}"#);
    check("clientSecret: s3cr3t-0f-mine", "clientSecret: [redacted: password]");
    check("mysql --password hunter2hunter2 -u ada", "mysql --password [redacted: password] -u ada");
    check("mysql --password=hunter2 -u ada", "mysql --password=[redacted: password] -u ada");
    check("?access_token=abcd1234efgh&x=1", "?access_token=[redacted: token]&x=1");
    check("密码 password=秘密abcd。", "密码 password=[redacted: password]");
    check("settings[\"password\"] = \"hunter2\"", "settings[\"password\"] = \"[redacted: password]\"");
    check(
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "aws_secret_access_key = [redacted: api key]",
    );
    check("password: hunter2hunter2\nnext: 1", "password: [redacted: password]\nnext: 1");
    for text in [
        "password:\nnext line",
        "max_tokens: 1024, the token count is 12345",
        "unexpected token: identifier",
        "error: expected token: `;`",
        "API_KEY=$OPENAI_API_KEY run",
        "api_key: <your key>",
        "password = getpass.getpass()",
        "token = tokens[index]",
        "password=os.environ.password",
        "{\"password\": {\"type\": \"string\"}}",
        "secret: null",
        "password=********",
        "token == \"abcd1234\"",
        "TOKEN_FILE=/run/token",
        "private_key = ~/.ssh/id_ed25519",
        "[redacted: password]: foo12345",
    ] {
        stays(text);
    }
}

#[test]
fn passwords_in_addresses() {
    check("postgres://ada:pw@db/x", "postgres://ada:[redacted: password]@db/x");
    check("https://ghp_0123456789abcdefghij@github.com/a", "https://[redacted: password]@github.com/a");
    stays("https://ada@example.org/x https://example.org:8080/a@b git@github.com:a/b.git");
    stays("https://ada:$PASSWORD@example.org");
}

#[test]
fn keys_that_quotation_marks_split() {
    const KEY: &str = "[redacted: api key]";
    for (text, expected) in [
        ("\"sk-ant-\"\"api03-abc_DEF-0123456789\"", format!("\"{KEY}\"")),
        ("'AKIA''IOSFODNN7EXAMPLE'", format!("'{KEY}'")),
        ("k = \"ghp_\" + \"0123456789abcdefghij\";", format!("k = \"{KEY}\";")),
        ("k = 'xoxb-' . '123456789012' . '-abcdefghijkl'", format!("k = '{KEY}'")),
        ("echo gh\"p_0123456789\"abcdefghij now", format!("echo {KEY} now")),
        (r#"{"c": "echo \"glpat-\"\"abcdefghij0123456789\""}"#, format!(r#"{{"c": "echo \"{KEY}\""}}"#)),
        // Two arguments: what stands behind the key is none of it.
        ("f \"ghp_0123456789abcdefghij\" \"main\"", format!("f \"{KEY}\" \"main\"")),
    ] {
        check(text, &expected);
    }
    check("password = \"corr\" + \"ecthorse\"", "password = \"[redacted: password]\"");
    for text in [
        "for p in \"AKIA\" \"ASIA\" \"ABIA\"; do",
        "[\"sk-\", \"toolbox-0123456789\"]",
        "it's the user's, isn't it",
        "k = \"ghp_\" + suffix",
        "case\"hf_\":return\"hub_download_cache\"",
    ] {
        stays(text);
    }
}

#[test]
fn passwords_in_sentences() {
    for (before, password, after) in [
        ("my password is ", "hunter2", ""),
        ("The password of ada on db1 is ", "p@ss!word", ", she said."),
        ("the password's ", "hunter22", ""),
        ("das Root-Passwort lautet: ", "Sommer2024", "."),
        ("Datenbankkennwort: ", "Sommer2024", ""),
        ("salasanani on ", "kissa1234", "!"),
        ("le mot de passe est\u{a0}: «\u{a0}", "sésame", "\u{a0}»"),
        ("密码是", "mao12345", "。"),
        ("パスワードは「", "neko", "」です。"),
        ("LÖSENORD ÄR ", "KATT4711", ""),
    ] {
        check(&format!("{before}{password}{after}"), &format!("{before}[redacted: password]{after}"));
    }
    for text in [
        "my password is swordfish",
        "the password is required, and the passphrase is optional",
        "The password is base64-encoded.",
        "Das Passwort lautet wie folgt: acht Zeichen",
        "salasana on oltava 8 merkkiä",
        "密码是必填项",
        "password is in secrets2.yaml",
        "the password is `&[u8]` and not `&str`",
        "the password is $ADMIN_PW2",
        "the password is [redacted: password]",
    ] {
        stays(text);
    }
}

#[test]
fn bots() {
    let key = "AbCdEfGhIjKlMnOpQrStUvWxYz012345678";
    for number in ["110201543", "bot110201543", "635434"] {
        check(&format!("x {number}:{key} y"), "x [redacted: api key] y");
    }
    check(&format!("/bot110201543%3A{key}/getMe"), "/[redacted: api key]/getMe");
    stays("110201543:TheQuickBrownFoxJumpsOverTheLazyDog 110201543:3f786850e387550fdab836ed7e6dc881de2");
}

/// Records would be useless without these.
#[test]
fn what_must_stay() {
    let picture: String = (0..4000u32)
        .map(|n| {
            char::from(
                b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
                    [(n * n + 7 * n) as usize % 64],
            )
        })
        .collect();
    let wrapped: String = picture
        .as_bytes()
        .chunks(76)
        .map(|line| format!("{}\n", std::str::from_utf8(line).unwrap()))
        .collect();
    stays(&format!("data:image/png;base64,iVBORw0KGgo{picture}"));
    stays(&wrapped);
    stays(&format!("sk-{picture}").replace(['+', '/'], "_"));
    for text in [
        "commit 9f8a4c0e1d2b3a4f5e6d7c8b9a0f1e2d3c4b5a69",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  docs/a.txt",
        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        "0190c8a4-7d2e-7c3b-9a10-6f2b8f4c1d2e",
        "read_evidence id `e3b0c44298fc`",
        "sk-toolbox-documentation-and-more is a branch",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKq8Yl4vQb0O2f5sKxS2n9m7 ada@host",
        "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQw0vQm9yZGVyIGNhbm5vdCBiZSByZWFkIGhlcmU=\n-----END CERTIFICATE-----\n",
        "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQENBF0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKL\n-----END PGP PUBLIC KEY BLOCK-----\n",
        "----------\nHeading\n----------\n",
    ] {
        stays(text);
    }
}

#[test]
fn variables_of_the_environment() {
    let found: Vec<_> = secrets_of([
        ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
        ("MY_TOKEN", "  tok-with-blanks-around \n"),
        ("SSHPASS", "open sesame"),
        ("LM_KEY", "none"),
        ("KEY_COUNT", "123456789012"),
        ("SECRET_FILE", "/run/secrets/x"),
        ("TOKEN_URL", "https://example.org/token"),
        ("PROXY", "http://ada:swordfish9@proxy:3128"),
        ("HOME", "/home/ada-with-a-long-name"),
    ])
    .collect();
    assert_eq!(found, ["AKIAIOSFODNN7EXAMPLE", "tok-with-blanks-around", "open sesame", "swordfish9"]);
}

#[test]
fn known_values() {
    let redactor =
        Redactor::new().secret("canary-4").secret("canary-4-bird").secret("").secret("[redacted").secret("x");
    let redacted = redactor.apply("canary-4-bird canary-4-b canary");
    assert_eq!(redacted, "[redacted: secret] [redacted: secret]-b canary");
    assert_eq!(redactor.apply("an ax is no [redacted: secret]"), "an ax is no [redacted: secret]");
    assert_eq!(format!("{redactor:?}"), "Redactor { values: 2 }");
}

/// Regression: the key `x` removed every x from messages.
#[test]
fn a_value_of_less_than_eight_characters_is_an_ordinary_word() {
    let redactor = Redactor::new().secret("x").secret("sevench").secret("сeмьбук");
    let text = "extra sevench \u{441}eмьбук";
    assert_eq!(redactor.apply(text), text);
    assert_eq!(Redactor::new().secret("eightchr").apply("an eightchr word"), "an [redacted: secret] word");
    let variables = [
        ("LM_KEY", " x\n"),
        ("PROXY", "http://ada:pw@host"),
        ("API_TOKEN", "eightchr"),
        ("HOME", "/x"),
        ("OLD_KEY", ""),
    ];
    assert_eq!(too_short(variables).collect::<Vec<_>>(), ["LM_KEY", "PROXY"]);
}

/// In base64 at any alignment, percent-encoded in URLs and forms, and JSON-escaped.
#[test]
fn known_values_in_other_encodings() {
    use base64::{
        Engine as _,
        engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
    };
    let value = "p\u{e4}ss w/rd+\"4711\"?";
    let redactor = Redactor::new().secret(value);
    for before in ["", "a", "ab", "abc", "user:"] {
        for after in ["", "x", "xy", "xyz"] {
            let text = format!("{before}{value}{after}");
            for encoded in [STANDARD.encode(&text), URL_SAFE_NO_PAD.encode(&text)] {
                let redacted = redactor.apply(&encoded).into_owned();
                assert!(redacted.contains("[redacted: secret]"), "{text}: {redacted}");
                assert!(
                    redacted.len() - "[redacted: secret]".len()
                        <= before.len() * 4 / 3 + after.len() * 4 / 3 + 8,
                    "{redacted}"
                );
            }
        }
    }
    for encoded in [
        "p%C3%A4ss%20w%2Frd%2B%224711%22%3F",
        "p%c3%a4ss%20w%2frd%2b%224711%22%3f",
        "p%C3%A4ss+w%2Frd%2B%224711%22%3F",
        "p\u{e4}ss w/rd+\\\"4711\\\"?",
    ] {
        assert_eq!(redactor.apply(&format!("<{encoded}>")), "<[redacted: secret]>");
    }
}
