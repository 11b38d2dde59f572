export type {
  Health,
  OrderStatus,
  RawRecord,
  Tier,
  Transaction,
  TransactionLine,
  TransactionStatus,
} from './answers.ts'
export type { Client, ClientOptions } from './client.ts'
export { ClientError, createClient } from './client.ts'
export type {
  Address,
  AdjustmentRequest,
  LineItem,
  OrderName,
  Parameters,
  PaymentRequest,
  TransactionUpdate,
  VoidRequest,
} from './requests.ts'
