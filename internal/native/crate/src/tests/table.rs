use super::*;
use crate::error::Kind;
use crate::query;
use crate::write::Merge;

#[test]
fn everybody_shares_one_table() {
    let dir = Dir::new();
    let first = table(&dir, &[]);
    let (a, b) = (dir.location(), dir.location());
    let second = run(async move { Database::connect(a).await?.open("t").await }).unwrap();
    assert!(Arc::ptr_eq(&first, &second));
    drop((first, second));
    let third = run(async move { Database::connect(b).await?.open("t").await }).unwrap();
    assert_eq!(Arc::strong_count(&third), 1);
}

#[test]
fn a_dropped_table_can_be_made_anew() {
    let dir = Dir::new();
    let old = table(&dir, &[("a", "", "{}", None)]);
    let location = dir.location();
    let new = run(async move {
        let database = Database::connect(location).await?;
        database.drop_table("t").await?;
        database.create("t", schema()).await
    });
    let new = new.unwrap();
    assert!(!Arc::ptr_eq(&old, &new));
    assert_eq!(run(query::count(new, None)).unwrap(), 0);
}

#[test]
fn merge_insert_updates_and_inserts_in_one_commit() {
    let dir = Dir::new();
    let table = table(&dir, &[("a", "old", "{}", None), ("b", "old", "{}", None)]);
    let before = run(crate::maintain::version(table.clone())).unwrap();
    let merge = Merge {
        on: vec!["id".into()],
        update_matched: true,
        insert_unmatched: true,
        rows: batch(&[
            ("b", "new", "{}", Some([1.0, 2.0])),
            ("c", "new", "{}", None),
        ]),
    };
    let stats = run(write::merge_insert(table.clone(), merge)).unwrap();
    assert_eq!((stats.inserted, stats.updated), (1, 1));
    assert_eq!(stats.version, before + 1);
    let count = |filter: &str| run(query::count(table.clone(), Some(filter.into()))).unwrap();
    assert_eq!((count("text = 'new'"), count("text = 'old'")), (2, 1));
    assert_eq!(
        run(write::delete(table.clone(), "text = 'new'".into())).unwrap(),
        2
    );
    assert_eq!(run(query::count(table.clone(), None)).unwrap(), 1);
}

#[test]
fn columns_are_added_and_updated_by_expression() {
    let dir = Dir::new();
    let table = table(&dir, &[("a", "x", "{}", None), ("b", "y", "{}", None)]);
    let add = |name: &str, expression: &str| {
        let columns = vec![(name.to_string(), expression.to_string())];
        run(write::add_columns(table.clone(), columns))
    };
    add("n", "nullif(2.0, 0.0)").unwrap();
    assert!(add("n", "nullif(3.0, 0.0)").is_err());
    let set = vec![("n".to_string(), "n * 1000".to_string())];
    let changed = run(write::update(
        table.clone(),
        Some("id = 'b' AND n < 10".into()),
        set,
    ));
    assert_eq!(changed.unwrap(), 1);
    let count = |filter: &str| run(query::count(table.clone(), Some(filter.into()))).unwrap();
    assert_eq!((count("n = 2"), count("n = 2000")), (1, 1));
}

#[test]
fn failures_have_their_kind() {
    let dir = Dir::new();
    let table = table(&dir, &[("a", "", "{}", None)]);
    let kind = |r: Result<i64>| r.unwrap_err().kind;
    let count = |filter: &str| run(query::count(table.clone(), Some(filter.into())));
    assert_eq!(kind(count("nonsense $$")), Kind::Invalid);
    assert_eq!(kind(count("no_such_column = 1")), Kind::Invalid);
    assert_eq!(
        kind(run(write::delete(table.clone(), " ".into()))),
        Kind::Invalid
    );
    let location = dir.location();
    let open = run(async move { Database::connect(location).await?.open("missing").await });
    assert_eq!(open.err().unwrap().kind, Kind::NotFound);
    let location = dir.location();
    let create = run(async move {
        Database::connect(location)
            .await?
            .create("t", schema())
            .await
    });
    assert_eq!(create.err().unwrap().kind, Kind::Exists);
}
