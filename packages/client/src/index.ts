export type { RawRecord, Tier } from './raw-record.ts'
export type {
  Health,
  OrderStatus,
  Transaction,
  TransactionLine,
  TransactionStatus,
} from './answers.ts'
export type { Client, ClientOptions } from './client.ts'
export { ClientError, createClient } from './client.ts'
export type { CardToken, SignedTokenRequest, TokenClient, TokenClientOptions } from './tokens.ts'
export {
  createTokenClient,
  isTokenAnswerGenuine,
  signTokenRequest,
  TokenRefusedError,
} from './tokens.ts'
export type { Agenda, ClockState, SandboxClock } from './sandbox-clock.ts'
export { ClockRefusedError, createSandboxClock } from './sandbox-clock.ts'
export type { Address, Parameters } from './parameters.ts'
export type {
  AdjustmentRequest,
  LineItem,
  OrderName,
  PaymentRequest,
  TransactionUpdate,
  VoidRequest,
} from './requests.ts'
export type {
  BrowserData,
  ChallengeWindow,
  ThreeDsChallenge,
  ThreeDsCompletion,
  ThreeDsEnrolment,
  ThreeDsOutside,
  ThreeDsRequest,
  ThreeDsResult,
  ThreeDsSession,
  ThreeDsSessionRequest,
} from './three-ds.ts'
export { CHALLENGE_WINDOWS } from './three-ds.ts'
