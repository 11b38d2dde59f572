export type { RawRecord, Tier } from './raw-record.ts'
export type {
  Health,
  OrderAnswer,
  OrderStatus,
  Transaction,
  TransactionLine,
  TransactionStatus,
} from './answers.ts'
export type { AccountUpdate, NextPayment, RetryWord } from './next-payment.ts'
export type { Client, ClientOptions } from './client.ts'
export { createClient } from './client.ts'
export { ClientError, StatusUnknownError } from './client-error.ts'
export type * from './event-types.ts'
export type { EventOfType, GatewayEvent } from './events.ts'
export type { CursorStore, FeedGap, FollowOptions } from './follow-events.ts'
export { FeedGapError, FeedRefusedError, followEvents } from './follow-events.ts'
export type { Connection } from './input.ts'
export type { EventHeaders } from './verify-event.ts'
export { EventNotVerifiedError, verifyEvent } from './verify-event.ts'
export type {
  MembershipAnswer,
  MembershipCancellation,
  MembershipUpdate,
  PaymentSeries,
  ProductDefinition,
} from './memberships.ts'
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
  AdjustmentDetails,
  AdjustmentRequest,
  LineItem,
  OrderName,
  PaymentDetails,
  PaymentRequest,
  StatusName,
  TransactionUpdate,
  VoidDetails,
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
