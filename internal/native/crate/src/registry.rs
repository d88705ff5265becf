//! One LanceDB connection per location and one table object per name, shared by
//! everybody who opens them, so that both surfaces see the same state.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Weak};
use std::time::Duration;

use arrow_schema::SchemaRef;
use lancedb::{ObjectStoreRegistry, Session};

use crate::error::Result;
use crate::storage::Location;

/// Each of a database's two caches, over all its tables. Lance's defaults are
/// gigabytes, which a memory of thousands of rows never needs.
const CACHE_BYTES: usize = 64 << 20;

/// Older readers of the same tables crash on pages of later file versions.
const FILE_VERSION: &str = "2.1";

pub struct Database {
    pub connection: lancedb::Connection,
    tables: Mutex<HashMap<String, Weak<Table>>>,
}

pub struct Table {
    pub name: String,
    pub inner: lancedb::Table,
    // Keeps the connection, and with it the caches, while the table is open.
    _database: Arc<Database>,
}

static DATABASES: LazyLock<Mutex<HashMap<Location, Weak<Database>>>> =
    LazyLock::new(Default::default);

fn databases() -> MutexGuard<'static, HashMap<Location, Weak<Database>>> {
    DATABASES.lock().unwrap_or_else(|e| e.into_inner())
}

/// The entry if it lives, otherwise `fresh`, which then becomes the entry.
fn share<K: std::hash::Hash + Eq, V>(
    entries: &mut HashMap<K, Weak<V>>,
    key: K,
    fresh: impl FnOnce() -> V,
) -> Arc<V> {
    entries.retain(|_, entry| entry.strong_count() > 0);
    if let Some(live) = entries.get(&key).and_then(Weak::upgrade) {
        return live;
    }
    let made = Arc::new(fresh());
    entries.insert(key, Arc::downgrade(&made));
    made
}

impl Database {
    pub async fn connect(location: Location) -> Result<Arc<Self>> {
        if let Some(live) = databases().get(&location).and_then(Weak::upgrade) {
            return Ok(live);
        }
        let session = Session::new(
            CACHE_BYTES,
            CACHE_BYTES,
            Arc::new(ObjectStoreRegistry::default()),
        );
        let connection = lancedb::connect(&location.uri)
            .storage_options(location.options.iter().map(|(k, v)| (k.clone(), v.clone())))
            .storage_option("new_table_data_storage_version", FILE_VERSION)
            .read_consistency_interval(Duration::ZERO)
            .session(Arc::new(session))
            .execute()
            .await?;
        // Two callers may have connected at once; one connection wins.
        Ok(share(&mut databases(), location, || Self {
            connection,
            tables: Mutex::default(),
        }))
    }

    fn tables(&self) -> MutexGuard<'_, HashMap<String, Weak<Table>>> {
        self.tables.lock().unwrap_or_else(|e| e.into_inner())
    }

    pub async fn open(self: &Arc<Self>, name: &str) -> Result<Arc<Table>> {
        let live = self.tables().get(name).and_then(Weak::upgrade);
        if let Some(live) = live {
            return Ok(live);
        }
        let inner = self.connection.open_table(name).execute().await?;
        Ok(self.enter(name, inner))
    }

    pub async fn create(self: &Arc<Self>, name: &str, schema: SchemaRef) -> Result<Arc<Table>> {
        let inner = self
            .connection
            .create_empty_table(name, schema)
            .execute()
            .await?;
        self.tables().remove(name);
        Ok(self.enter(name, inner))
    }

    pub async fn drop_table(&self, name: &str) -> Result<()> {
        self.connection.drop_table(name, &[]).await?;
        self.tables().remove(name);
        Ok(())
    }

    fn enter(self: &Arc<Self>, name: &str, inner: lancedb::Table) -> Arc<Table> {
        share(&mut self.tables(), name.to_string(), || Table {
            name: name.to_string(),
            inner,
            _database: self.clone(),
        })
    }
}
