// Written by `npm run docs` from the schemas in docs/schemas/events.

/** The type of an event. Further types may be added: ignore those that you do not know. */
export type EventType = keyof EventDataByType

/** The field `data` of each type. */
export interface EventDataByType {
  readonly 'payment.approved': PaymentApprovedData
  readonly 'payment.declined': PaymentApprovedData
  readonly 'payment.failed': PaymentApprovedData
  readonly 'authorization.approved': AuthorizationApprovedData
  readonly 'authorization.declined': AuthorizationApprovedData
  readonly 'authorization.failed': AuthorizationApprovedData
  readonly 'authorization.expiring': AuthorizationExpiringData
  readonly 'authorization.expired': AuthorizationExpiredData
  readonly 'authorization.voided': AuthorizationVoidedData
  readonly 'capture.created': AuthorizationVoidedData
  readonly 'capture.confirmed': CaptureConfirmedData
  readonly 'capture.rejected': CaptureRejectedData
  readonly 'capture.voided': AuthorizationVoidedData
  readonly 'refund.created': AuthorizationVoidedData
  readonly 'refund.confirmed': CaptureConfirmedData
  readonly 'refund.rejected': CaptureRejectedData
  readonly 'refund.approved': RefundApprovedData
  readonly 'refund.declined': RefundApprovedData
  readonly 'refund.failed': RefundApprovedData
  readonly 'reversal.confirmed': ReversalConfirmedData
  readonly 'reversal.rejected': ReversalConfirmedData
  readonly 'three_ds.abandoned': ThreeDsAbandonedData
  readonly 'membership.began': MembershipBeganData
  readonly 'membership.renewed': MembershipRenewedData
  readonly 'membership.renewal_declined': MembershipRenewalDeclinedData
  readonly 'membership.past_due': MembershipPastDueData
  readonly 'membership.recovered': MembershipRenewedData
  readonly 'membership.product_changed': MembershipProductChangedData
  readonly 'membership.card_updated': MembershipCardUpdatedData
  readonly 'membership.cancel_scheduled': MembershipBeganData
  readonly 'membership.cancelled': MembershipCancelledData
  readonly 'membership.ended': MembershipCancelledData
  readonly 'batch.closed': BatchClosedData
  readonly 'batch.agreed': BatchAgreedData
  readonly 'batch.differs': BatchDiffersData
  readonly 'settlement.received': SettlementReceivedData
  readonly 'settlement.difference': SettlementDifferenceData
  readonly 'settlement.cleared': SettlementDifferenceData
  readonly 'payout.created': PayoutCreatedData
  readonly 'payout.deposited': PayoutDepositedData
  readonly 'payout.returned': PayoutDepositedData
  readonly 'dispute.opened': DisputeOpenedData
  readonly 'dispute.updated': DisputeOpenedData
  readonly 'dispute.answered': DisputeAnsweredData
  readonly 'dispute.won': DisputeOpenedData
  readonly 'dispute.lost': DisputeOpenedData
  readonly 'dispute.accepted': DisputeOpenedData
  readonly 'dispute.withdrawn': DisputeOpenedData
  readonly 'card.updated': CardUpdatedData
  readonly 'card.removed': CardRemovedData
  readonly 'reconciliation.difference': ReconciliationDifferenceData
  readonly 'reconciliation.cleared': ReconciliationDifferenceData
  readonly 'site.changed': SiteChangedData
  readonly 'api_user.changed': ApiUserChangedData
  readonly 'endpoint.tested': EndpointTestedData
  readonly 'endpoint.paused': EndpointPausedData
  readonly 'endpoint.resumed': EndpointPausedData
  readonly 'endpoint.disabled': EndpointPausedData
}

export interface PaymentApprovedData {
  readonly po_id: string
  readonly xtl_order_id: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly mbshp_ids: readonly string[]
  readonly mbshp_id_xtl: string
  readonly card: {
    readonly brand: string
    readonly last4: string
    readonly pmt_id: string
    readonly pmt_id_xtl: string
  }
  readonly trans_id: string
  readonly status: string
  readonly amount: string
  readonly currency: string
  readonly codes: {
    readonly service: number
    readonly processor: string
    readonly industry: string
    readonly response: string
  }
  readonly requested_amount: string
  readonly avs: string
  readonly cvv: string
  readonly eci: string
}

export interface AuthorizationApprovedData {
  readonly po_id: string
  readonly xtl_order_id: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly mbshp_ids: readonly string[]
  readonly mbshp_id_xtl: string
  readonly card: {
    readonly brand: string
    readonly last4: string
    readonly pmt_id: string
    readonly pmt_id_xtl: string
  }
  readonly trans_id: string
  readonly status: string
  readonly amount: string
  readonly currency: string
  readonly codes: {
    readonly service: number
    readonly processor: string
    readonly industry: string
    readonly response: string
  }
  readonly requested_amount: string
  readonly avs: string
  readonly cvv: string
  readonly eci: string
  readonly expires_at: string | null
}

export interface AuthorizationExpiringData {
  readonly po_id: string
  readonly xtl_order_id: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly mbshp_ids: readonly string[]
  readonly mbshp_id_xtl: string
  readonly card: {
    readonly brand: string
    readonly last4: string
    readonly pmt_id: string
    readonly pmt_id_xtl: string
  }
  readonly amount: string
  readonly currency: string
  readonly expires_at: string | null
}

export interface AuthorizationExpiredData {
  readonly po_id: string
  readonly xtl_order_id: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly mbshp_ids: readonly string[]
  readonly mbshp_id_xtl: string
  readonly card: {
    readonly brand: string
    readonly last4: string
    readonly pmt_id: string
    readonly pmt_id_xtl: string
  }
  readonly amount: string
  readonly currency: string
  readonly expires_at: string | null
  readonly order: {
    readonly authorized: string
    readonly captured: string
    readonly voided: string
    readonly refunded: string
    readonly remaining: string
  }
}

export interface AuthorizationVoidedData {
  readonly po_id: string
  readonly xtl_order_id: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly mbshp_ids: readonly string[]
  readonly mbshp_id_xtl: string
  readonly card: {
    readonly brand: string
    readonly last4: string
    readonly pmt_id: string
    readonly pmt_id_xtl: string
  }
  readonly trans_id: string
  readonly status: string
  readonly amount: string
  readonly currency: string
  readonly codes: {
    readonly service: number
    readonly processor: string
    readonly industry: string
    readonly response: string
  }
  readonly order: {
    readonly authorized: string
    readonly captured: string
    readonly voided: string
    readonly refunded: string
    readonly remaining: string
  }
}

export interface CaptureConfirmedData {
  readonly po_id: string
  readonly xtl_order_id: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly mbshp_ids: readonly string[]
  readonly mbshp_id_xtl: string
  readonly card: {
    readonly brand: string
    readonly last4: string
    readonly pmt_id: string
    readonly pmt_id_xtl: string
  }
  readonly trans_id: string
  readonly amount: string
  readonly currency: string
  readonly bank_code: string
}

export interface CaptureRejectedData {
  readonly po_id: string
  readonly xtl_order_id: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly mbshp_ids: readonly string[]
  readonly mbshp_id_xtl: string
  readonly card: {
    readonly brand: string
    readonly last4: string
    readonly pmt_id: string
    readonly pmt_id_xtl: string
  }
  readonly trans_id: string
  readonly amount: string
  readonly currency: string
  readonly bank_code: string
  readonly settlement_file_id?: string
}

export interface RefundApprovedData {
  readonly po_id: string
  readonly xtl_order_id: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly mbshp_ids: readonly string[]
  readonly mbshp_id_xtl: string
  readonly card: {
    readonly brand: string
    readonly last4: string
    readonly pmt_id: string
    readonly pmt_id_xtl: string
  }
  readonly trans_id: string
  readonly status: string
  readonly amount: string
  readonly currency: string
  readonly codes: {
    readonly service: number
    readonly processor: string
    readonly industry: string
    readonly response: string
  }
}

export interface ReversalConfirmedData {
  readonly po_id: string
  readonly xtl_order_id: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly mbshp_ids: readonly string[]
  readonly mbshp_id_xtl: string
  readonly card: {
    readonly brand: string
    readonly last4: string
    readonly pmt_id: string
    readonly pmt_id_xtl: string
  }
  readonly trans_id: string
  readonly amount: string
  readonly currency: string
  readonly bank_code: string
  readonly reason: string
}

export interface ThreeDsAbandonedData {
  readonly po_id: string
  readonly xtl_order_id: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly mbshp_ids: readonly string[]
  readonly mbshp_id_xtl: string
  readonly card: {
    readonly brand: string
    readonly last4: string
    readonly pmt_id: string
    readonly pmt_id_xtl: string
  }
  readonly trans_id: string
  readonly amount: string
  readonly currency: string
  readonly result: string
}

export interface MembershipBeganData {
  readonly mbshp_id: string
  readonly mbshp_id_xtl: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly first_po_id: string
  readonly status: string
  readonly amount: string
  readonly currency: string
  readonly pmt_id: string
  readonly product: string
  readonly next_product: string | null
  readonly period_start: string | null
  readonly period_end: string | null
  readonly next_charge: string | null
  readonly ends_at: string | null
}

export interface MembershipRenewedData {
  readonly mbshp_id: string
  readonly mbshp_id_xtl: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly first_po_id: string
  readonly status: string
  readonly amount: string
  readonly currency: string
  readonly pmt_id: string
  readonly product: string
  readonly next_product: string | null
  readonly period_start: string | null
  readonly period_end: string | null
  readonly next_charge: string | null
  readonly ends_at: string | null
  readonly po_id: string
  readonly trans_id: string
  readonly attempt: number
}

export interface MembershipRenewalDeclinedData {
  readonly mbshp_id: string
  readonly mbshp_id_xtl: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly first_po_id: string
  readonly status: string
  readonly amount: string
  readonly currency: string
  readonly pmt_id: string
  readonly product: string
  readonly next_product: string | null
  readonly period_start: string | null
  readonly period_end: string | null
  readonly next_charge: string | null
  readonly ends_at: string | null
  readonly po_id: string
  readonly trans_id: string
  readonly attempt: number
  readonly outcome: string
  readonly next_attempt: string | null
  readonly reason: string
}

export interface MembershipPastDueData {
  readonly mbshp_id: string
  readonly mbshp_id_xtl: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly first_po_id: string
  readonly status: string
  readonly amount: string
  readonly currency: string
  readonly pmt_id: string
  readonly product: string
  readonly next_product: string | null
  readonly period_start: string | null
  readonly period_end: string | null
  readonly next_charge: string | null
  readonly ends_at: string | null
  readonly since: string | null
}

export interface MembershipProductChangedData {
  readonly mbshp_id: string
  readonly mbshp_id_xtl: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly first_po_id: string
  readonly status: string
  readonly amount: string
  readonly currency: string
  readonly pmt_id: string
  readonly product: string
  readonly next_product: string | null
  readonly period_start: string | null
  readonly period_end: string | null
  readonly next_charge: string | null
  readonly ends_at: string | null
  readonly old_next_product: string | null
}

export interface MembershipCardUpdatedData {
  readonly mbshp_id: string
  readonly mbshp_id_xtl: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly first_po_id: string
  readonly status: string
  readonly amount: string
  readonly currency: string
  readonly pmt_id: string
  readonly product: string
  readonly next_product: string | null
  readonly period_start: string | null
  readonly period_end: string | null
  readonly next_charge: string | null
  readonly ends_at: string | null
  readonly old_pmt_id: string
}

export interface MembershipCancelledData {
  readonly mbshp_id: string
  readonly mbshp_id_xtl: string
  readonly cust_id: string
  readonly xtl_cust_id: string
  readonly first_po_id: string
  readonly status: string
  readonly amount: string
  readonly currency: string
  readonly pmt_id: string
  readonly product: string
  readonly next_product: string | null
  readonly period_start: string | null
  readonly period_end: string | null
  readonly next_charge: string | null
  readonly ends_at: string | null
  readonly reason: string
}

export interface BatchClosedData {
  readonly batch_id: string
  readonly merchant_account_id: string
  readonly closed_at: string
  readonly agreement: string
  readonly sums: readonly {
    readonly currency: string
    readonly action: string
    readonly brand: string
    readonly transactions: number
    readonly amount: string
    readonly voided: string
  }[]
}

export interface BatchAgreedData {
  readonly batch_id: string
  readonly merchant_account_id: string
  readonly closed_at: string
}

export interface BatchDiffersData {
  readonly batch_id: string
  readonly merchant_account_id: string
  readonly closed_at: string
  readonly differences: number
}

export interface SettlementReceivedData {
  readonly settlement_file_id: string
  readonly merchant_account_id: string
  readonly currency: string
  readonly business_date: string
  readonly value_date: string
  readonly lines: number
  readonly gross: string
  readonly fees: string
  readonly net: string
}

export interface SettlementDifferenceData {
  readonly difference_id: string
  readonly merchant_account_id: string
  readonly code: string
  readonly since: string
  readonly here_amount: string | null
  readonly here_currency: string | null
  readonly bank_amount: string | null
  readonly bank_currency: string | null
  readonly trans_id: string | null
  readonly payout_id: string | null
  readonly dispute_id: string | null
  readonly settlement_file_id: string | null
  readonly ended_as: string | null
  readonly po_id?: string
  readonly xtl_order_id?: string
  readonly cust_id?: string
  readonly xtl_cust_id?: string
  readonly mbshp_ids?: readonly string[]
  readonly mbshp_id_xtl?: string
  readonly card?: {
    readonly brand: string
    readonly last4: string
    readonly pmt_id: string
    readonly pmt_id_xtl: string
  }
}

export interface PayoutCreatedData {
  readonly settlement_file_id: string
  readonly merchant_account_id: string
  readonly currency: string
  readonly payout_id: string
  readonly reference: string
  readonly trace: string
  readonly amount: string
  readonly value_date: string
  readonly arrives: string | null
  readonly gross: string
  readonly refunds: string
  readonly chargebacks: string
  readonly fees: string
  readonly reserve: string
}

export interface PayoutDepositedData {
  readonly settlement_file_id: string
  readonly merchant_account_id: string
  readonly currency: string
  readonly payout_id: string
  readonly reference: string
  readonly trace: string
  readonly amount: string
  readonly value_date: string
  readonly arrives: string | null
}

export interface DisputeOpenedData {
  readonly dispute_id: string
  readonly case_id: string
  readonly merchant_account_id: string
  readonly status: string
  readonly brand: string
  readonly amount: string
  readonly currency: string
  readonly reason: string | null
  readonly is_charged: boolean
  readonly respond_by: string | null
  readonly network_due: string | null
  readonly changed_at: string
  readonly po_id?: string
  readonly xtl_order_id?: string
  readonly cust_id?: string
  readonly xtl_cust_id?: string
  readonly mbshp_ids?: readonly string[]
  readonly mbshp_id_xtl?: string
  readonly card?: {
    readonly brand: string
    readonly last4: string
    readonly pmt_id: string
    readonly pmt_id_xtl: string
  }
}

export interface DisputeAnsweredData {
  readonly dispute_id: string
  readonly case_id: string
  readonly merchant_account_id: string
  readonly status: string
  readonly brand: string
  readonly amount: string
  readonly currency: string
  readonly reason: string | null
  readonly is_charged: boolean
  readonly respond_by: string | null
  readonly network_due: string | null
  readonly changed_at: string
  readonly answer: string
  readonly po_id?: string
  readonly xtl_order_id?: string
  readonly cust_id?: string
  readonly xtl_cust_id?: string
  readonly mbshp_ids?: readonly string[]
  readonly mbshp_id_xtl?: string
  readonly card?: {
    readonly brand: string
    readonly last4: string
    readonly pmt_id: string
    readonly pmt_id_xtl: string
  }
}

export interface CardUpdatedData {
  readonly pmt_id: string
  readonly pmt_id_xtl: string
  readonly cust_id: string
  readonly brand: string
  readonly last4: string
  readonly update: string
  readonly po_id: string
  readonly trans_id: string
}

export interface CardRemovedData {
  readonly pmt_id: string
  readonly pmt_id_xtl: string
  readonly cust_id: string
  readonly brand: string
  readonly last4: string
  readonly reason: string
}

export interface ReconciliationDifferenceData {
  readonly difference_id: string
  readonly po_id: string
  readonly currency: string
  readonly reasons: readonly {
    readonly text: string
  }[]
}

export interface SiteChangedData {
  readonly operation: string
  readonly settings: readonly string[]
}

export interface ApiUserChangedData {
  readonly operation: string
  readonly settings: readonly string[]
  readonly username: string
}

export interface EndpointTestedData {
  readonly endpoint_id: string
}

export interface EndpointPausedData {
  readonly endpoint_id: string
  readonly reason: string
  readonly failures: number
  readonly failing_since: string | null
}
