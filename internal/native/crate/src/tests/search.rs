use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::index::{self, Create};
use crate::maintain::{self, Optimize};
use crate::query::{self, Match, Nearest, Scan};
use crate::request::Request;

fn request(value: serde_json::Value) -> Request {
    Request::parse(&value.to_string()).unwrap()
}

fn text_index(table: &Arc<Table>) {
    let ask = request(json!({"column": "text", "type": "fts", "replace": true}));
    run(index::create(table.clone(), Create::parse(&ask).unwrap())).unwrap();
}

fn find(table: &Arc<Table>, text: &str) -> Vec<String> {
    let ask = request(json!({"column": "text", "text": text, "limit": 10}));
    let ask = Match::parse(&ask).unwrap();
    let mut ids = texts(&run(query::matching(table.clone(), ask)).unwrap(), "id");
    ids.sort();
    ids
}

const CORPUS: &[Row] = &[
    (
        "zh",
        "我们采用蓝绿发布来部署支付网关，失败时回滚",
        "{}",
        None,
    ),
    ("ja", "待ち合わせは東京駅の八重洲口にする", "{}", None),
    ("ko", "회의실 예약은 금요일까지 해야 합니다", "{}", None),
    (
        "ru",
        "Встреча перенесена на понедельник в Москве",
        "{}",
        None,
    ),
    (
        "fr",
        "Le café préféré de Zoé est près du marché",
        "{}",
        None,
    ),
    (
        "id1",
        "the service svc-billing-eu2 needs MAX_RETRY_COUNT=5",
        "{}",
        None,
    ),
    (
        "id2",
        "error E1043 appears when deploying at night",
        "{}",
        None,
    ),
];

#[test]
fn words_of_many_scripts_are_found_through_the_index_and_beyond_it() {
    let cases = [
        ("蓝绿发布", "zh"),
        ("支付网关", "zh"),
        ("東京駅", "ja"),
        ("회의실", "ko"),
        ("понедельник", "ru"),
        ("МОСКВЕ", "ru"),
        ("cafe", "fr"),
        ("ZOE", "fr"),
        ("svc-billing-eu2", "id1"),
        ("MAX_RETRY_COUNT", "id1"),
        ("E1043", "id2"),
        ("deploy", "id2"),
    ];
    let dir = Dir::new();
    let indexed = table(&dir, CORPUS);
    text_index(&indexed);
    let dir = Dir::new();
    let unindexed = table(&dir, &[("none", "nothing to see", "{}", None)]);
    text_index(&unindexed);
    add(&unindexed, CORPUS);
    for (text, id) in cases {
        assert!(
            find(&indexed, text).contains(&id.to_string()),
            "{text} through the index"
        );
        assert!(
            find(&unindexed, text).contains(&id.to_string()),
            "{text} beyond the index"
        );
    }
    assert!(find(&indexed, "nonsense").is_empty());
    assert!(find(&indexed, "…").is_empty());
}

#[test]
fn any_term_matches_and_the_best_row_comes_first() {
    let dir = Dir::new();
    let table = table(
        &dir,
        &[
            ("one", "alpha is here", "{}", None),
            ("both", "alpha and beta", "{}", None),
            ("other", "gamma rays", "{}", None),
        ],
    );
    text_index(&table);
    add(&table, &[("late", "alpha beta", "{}", None)]);
    let ask = request(json!({"column": "text", "text": "beta alpha", "limit": 10}));
    let got = run(query::matching(table.clone(), Match::parse(&ask).unwrap())).unwrap();
    let ids = texts(&got, "id");
    assert_eq!(ids.len(), 3);
    assert_eq!(ids[2], "one");
    let stats = run(index::stats(table.clone(), "text_idx".into())).unwrap();
    assert_eq!((stats.indexed_rows, stats.unindexed_rows), (3, 1));
    let fold = Optimize {
        compact: true,
        target_rows: None,
        fold_indexes: true,
        prune_older_than_ms: Some(0),
    };
    run(maintain::optimize(table.clone(), fold)).unwrap();
    let stats = run(index::stats(table.clone(), "text_idx".into())).unwrap();
    assert_eq!((stats.indexed_rows, stats.unindexed_rows), (4, 0));
    assert_eq!(find(&table, "beta"), ["both", "late"]);
}

#[test]
fn rows_without_a_vector_are_left_out_and_filters_come_first() {
    let dir = Dir::new();
    let table = table(
        &dir,
        &[
            ("near", "", r#"{"until":5}"#, Some([1.0, 0.0])),
            ("none", "", "{}", None),
            ("far", "", "{}", Some([0.0, 1.0])),
            ("back", "", r#"{"until": 50}"#, Some([-1.0, 0.0])),
        ],
    );
    let ask = |filter: Option<&str>, limit: usize| {
        let ask = request(json!({"column": "vector", "limit": limit, "filter": filter,
            "columns": ["id"]}));
        let ask = Nearest::parse(&ask, vec![1.0, 0.0]).unwrap();
        texts(&run(query::nearest(table.clone(), ask)).unwrap(), "id")
    };
    assert_eq!(ask(None, 10), ["near", "far", "back"]);
    let lasting =
        "mlp_json_int(`metadata`, 'until') IS NULL OR mlp_json_int(`metadata`, 'until') > 10";
    assert_eq!(ask(Some(lasting), 1), ["far"]);
    assert_eq!(ask(Some(lasting), 9), ["far", "back"]);
}

#[test]
fn scans_are_ordered_and_paged() {
    let dir = Dir::new();
    let table = table(
        &dir,
        &[
            ("b", "2", "{}", None),
            ("c", "1", "{}", None),
            ("a", "3", "{}", None),
        ],
    );
    let scan = |ask: serde_json::Value| {
        let ask = Scan::parse(&request(ask)).unwrap();
        texts(&run(query::scan(table.clone(), ask)).unwrap(), "id")
    };
    let order = json!([{"column": "text", "descending": true}]);
    assert_eq!(
        scan(json!({"order_by": order, "columns": ["id"]})),
        ["a", "b", "c"]
    );
    assert_eq!(
        scan(json!({"order_by": order, "limit": 1, "offset": 1})),
        ["b"]
    );
    assert_eq!(scan(json!({"filter": "id = 'c'"})), ["c"]);
    assert!(scan(json!({"filter": "false"})).is_empty());
}
