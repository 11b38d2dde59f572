export {
  awaitDatabase,
  DatabaseNotReachedError,
  reasonOf,
} from './adapters/postgres/connection/await-database.ts'
export {
  readClusterFile,
  type ClusterMemory,
  type DatabaseAddress,
} from './adapters/postgres/connection/cluster-memory.ts'
export { MOST_CONNECTIONS, VAULT_CONNECTIONS } from './adapters/postgres/connection/database.ts'
export { connectOnce } from './adapters/postgres/connection/address-ring.ts'
export { describeFault } from './http/payment/fault-record.ts'
export { maskText } from './base/card-masking.ts'
