//! The door is small: its public items are counted, as `cargo public-api` would list them, without the implementations of traits of others.

use std::{fs, path::Path};

use syn::{Fields, ImplItem, Item, TraitItem, Type, UseTree, Visibility};

/// Who embeds artoo learns this much and no more.
const MOST: usize = 60;

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");

#[test]
fn the_public_items_are_few() {
    let mut items = Vec::new();
    for entry in fs::read_dir(SOURCES).unwrap() {
        items.extend(listed(&fs::read_to_string(entry.unwrap().path()).unwrap()));
    }
    items.sort_unstable();
    assert!(items.iter().any(|item| item == "Artoo::run"), "nothing was counted: {items:#?}");
    assert!(items.len() <= MOST, "{} public items: {items:#?}", items.len());
}

#[test]
fn every_kind_of_item_counts() {
    let source = "
        pub use a::{b, c as d};
        pub use artoo::Artoo;
        use hidden::e;
        pub mod m;
        pub struct S { pub field: u8, own: u8 }
        impl S { pub fn method(&self) {} fn own(&self) {} pub(crate) fn ours(&self) {} }
        impl Default for S { fn default() -> Self { S } }
        pub enum E { One, Two { inner: u8 } }
        pub trait T { fn wanted(&self); }
        pub fn f() {}
        pub const C: u8 = 0;
        pub type A = u8;
        struct Own;
    ";
    let expected = [
        "use b",
        "use d",
        "mod m",
        "S",
        "S::field",
        "S::method",
        "E",
        "E::One",
        "E::Two::inner",
        "E::Two",
        "T",
        "T::wanted",
        "f",
        "C",
        "A",
    ];
    assert_eq!(listed(source), expected);
}

/// Every public item of a file: what is re-exported from elsewhere, types with their public fields, variants and methods, traits with what
/// they want.
fn listed(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    for item in &syn::parse_file(source).unwrap().items {
        if let Item::Use(item) = item
            && is_public(&item.vis)
            && !is_own(&item.tree)
        {
            names(&item.tree, &mut found);
        } else if let Item::Mod(item) = item
            && is_public(&item.vis)
        {
            found.push(format!("mod {}", item.ident));
        } else if let Item::Fn(item) = item
            && is_public(&item.vis)
        {
            found.push(item.sig.ident.to_string());
        } else if let Item::Const(item) = item
            && is_public(&item.vis)
        {
            found.push(item.ident.to_string());
        } else if let Item::Type(item) = item
            && is_public(&item.vis)
        {
            found.push(item.ident.to_string());
        } else if let Item::Struct(item) = item
            && is_public(&item.vis)
        {
            found.push(item.ident.to_string());
            found.extend(fields(&item.fields, false).map(|field| format!("{}::{field}", item.ident)));
        } else if let Item::Enum(item) = item
            && is_public(&item.vis)
        {
            found.push(item.ident.to_string());
            for variant in &item.variants {
                let path = format!("{}::{}", item.ident, variant.ident);
                found.extend(fields(&variant.fields, true).map(|field| format!("{path}::{field}")));
                found.push(path);
            }
        } else if let Item::Trait(item) = item
            && is_public(&item.vis)
        {
            found.push(item.ident.to_string());
            for wanted in &item.items {
                if let TraitItem::Fn(function) = wanted {
                    found.push(format!("{}::{}", item.ident, function.sig.ident));
                }
            }
        } else if let Item::Impl(item) = item
            && item.trait_.is_none()
            && let Type::Path(of) = item.self_ty.as_ref()
        {
            let of = of.path.get_ident().unwrap();
            for inner in &item.items {
                if let ImplItem::Fn(function) = inner
                    && is_public(&function.vis)
                {
                    found.push(format!("{of}::{}", function.sig.ident));
                }
            }
        }
    }
    found
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The named fields; those of a variant are as public as it is.
fn fields(fields: &Fields, of_variant: bool) -> impl Iterator<Item = String> {
    let public = fields.iter().filter(move |field| of_variant || is_public(&field.vis));
    public.filter_map(|field| field.ident.as_ref().map(ToString::to_string))
}

/// Whether it is from a module of the crate, whose items are counted where they are defined.
fn is_own(tree: &UseTree) -> bool {
    let UseTree::Path(path) = tree else { return false };
    Path::new(SOURCES).join(format!("{}.rs", path.ident)).exists()
}

fn names(tree: &UseTree, found: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => names(&path.tree, found),
        UseTree::Name(name) => found.push(format!("use {}", name.ident)),
        UseTree::Rename(rename) => found.push(format!("use {}", rename.rename)),
        UseTree::Group(group) => group.items.iter().for_each(|tree| names(tree, found)),
        UseTree::Glob(_) => panic!("what a glob re-exports cannot be counted"),
    }
}
