export { awaitDatabase, DatabaseNotReachedError, reasonOf } from './adapters/postgres/await-database.ts'
export { connectOnce } from './adapters/postgres/database-addresses.ts'
