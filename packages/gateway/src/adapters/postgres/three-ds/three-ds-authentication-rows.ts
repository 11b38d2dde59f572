import type pg from 'pg'
import type { CardBrand } from '../../../domain/payments/card.ts'
import type {
  OpenChallenge,
  StoredAuthentication,
} from '../../../usecases/three-ds/authentication-store.ts'

/** An authentication with the card and the lines of its order. */
export interface AuthenticationRow {
  readonly server_trans_id: string
  readonly proc_trans_id: string
  readonly transaction_id: string
  readonly order_id: string
  readonly merchant_id: string
  readonly site_id: string
  readonly mode: StoredAuthentication['mode']
  readonly merchant_account_id: string
  readonly api_user_id: string
  readonly state: StoredAuthentication['state']
  readonly fingerprint: string
  readonly customer_id: string
  readonly payment_method_id: string
  readonly brand: string
  readonly card_token_id: string | null
  readonly expiry_month: number | null
  readonly expiry_year: number | null
  readonly amount_minor: string
  readonly currency: string
  readonly kind: 'authorization' | 'sale'
  readonly order_reference: string
  readonly lines_digest: string
  readonly message_version: string | null
  readonly trans_status: StoredAuthentication['transStatus']
  readonly ds_trans_id: string | null
  readonly acs_trans_id: string | null
  readonly step_up_token_id: string | null
  readonly cres_status: StoredAuthentication['cresStatus']
  readonly result_status: StoredAuthentication['resultStatus']
  readonly result_digest: string | null
  readonly eci: string
  readonly cavv_ciphertext: Buffer | null
  readonly final_digest: string | null
  readonly expires_at: Date
  readonly bank_test: string | null
  readonly line_ids: string[]
}

/** Finds authentications, as `a`; a condition follows. */
export const FIND_AUTHENTICATION = `
select a.server_trans_id, a.proc_trans_id, a.transaction_id, a.order_id, a.merchant_id,
       a.site_id, a.mode, a.merchant_account_id, a.api_user_id, a.state,
       encode(a.fingerprint, 'hex') as fingerprint, p.customer_id, p.id as payment_method_id,
       p.brand, a.card_token_id, a.expiry_month, a.expiry_year, a.amount_minor, a.currency, a.kind,
       a.order_reference, encode(a.lines_digest, 'hex') as lines_digest, a.message_version,
       a.trans_status, a.ds_trans_id, a.acs_trans_id, a.step_up_token_id, a.cres_status,
       a.result_status, encode(a.result_digest, 'hex') as result_digest, a.eci, a.cavv_ciphertext,
       encode(a.final_digest, 'hex') as final_digest, a.expires_at, a.bank_test,
       array(select l.id from order_lines l
              where l.order_id = a.order_id order by l.number) as line_ids
  from three_ds_authentications a
  join orders o on o.id = a.order_id
  join payment_methods p on p.id = o.payment_method_id`

/** The one authentication of a condition on `a` with the parameter $1; null for none. */
export async function findAuthentication(
  pool: pg.Pool,
  where: string,
  id: string,
): Promise<StoredAuthentication | null> {
  const { rows } = await pool.query<AuthenticationRow>({
    name: `authentication where ${where}`,
    text: `${FIND_AUTHENTICATION} where ${where}`,
    values: [id],
  })
  return rows[0] === undefined ? null : storedAuthentication(rows[0])
}

/** The challenge that the payment of a transaction waits for; null when it waits for none. */
export async function findOpenChallenge(
  pool: pg.Pool,
  transactionId: bigint,
): Promise<OpenChallenge | null> {
  const { rows } = await pool.query<OpenChallengeRow>({
    name: 'find open challenge',
    text: `select merchant_account_id, reference, return_url, step_up_token_id, acs_url,
            server_trans_id, acs_trans_id, message_version, challenge_window, proc_trans_id
       from three_ds_authentications
      where transaction_id = $1 and state in ('challenge', 'result') and acs_url is not null`,
    values: [transactionId],
  })
  const [row] = rows
  return row === undefined
    ? null
    : {
        merchantAccountId: BigInt(row.merchant_account_id),
        reference: row.reference,
        returnUrl: row.return_url,
        tokenId: row.step_up_token_id,
        acsUrl: row.acs_url,
        serverTransId: row.server_trans_id,
        acsTransId: row.acs_trans_id,
        version: row.message_version,
        window: row.challenge_window,
        procTransId: row.proc_trans_id,
      }
}

interface OpenChallengeRow {
  readonly merchant_account_id: string
  readonly reference: string
  readonly return_url: string
  readonly step_up_token_id: string
  readonly acs_url: string
  readonly server_trans_id: string
  readonly acs_trans_id: string
  readonly message_version: OpenChallenge['version']
  readonly challenge_window: OpenChallenge['window']
  readonly proc_trans_id: string
}

export function storedAuthentication(row: AuthenticationRow): StoredAuthentication {
  const { expiry_month: month, expiry_year: year } = row
  return {
    serverTransId: row.server_trans_id,
    procTransId: row.proc_trans_id,
    transactionId: BigInt(row.transaction_id),
    orderId: BigInt(row.order_id),
    merchantId: BigInt(row.merchant_id),
    siteId: BigInt(row.site_id),
    mode: row.mode,
    merchantAccountId: BigInt(row.merchant_account_id),
    userId: BigInt(row.api_user_id),
    state: row.state,
    fingerprint: row.fingerprint,
    customerId: BigInt(row.customer_id),
    paymentMethodId: BigInt(row.payment_method_id),
    cardTokenId: row.card_token_id === null ? null : BigInt(row.card_token_id),
    brand: row.brand === '' ? null : (row.brand as CardBrand),
    expiry: month === null || year === null ? null : { month, year },
    amountMinor: BigInt(row.amount_minor),
    currency: row.currency,
    kind: row.kind,
    orderReference: row.order_reference,
    linesDigest: row.lines_digest,
    version: row.message_version ?? '',
    transStatus: row.trans_status,
    dsTransId: row.ds_trans_id ?? '',
    acsTransId: row.acs_trans_id ?? '',
    challenged: row.step_up_token_id !== null,
    cresStatus: row.cres_status,
    resultStatus: row.result_status,
    resultDigest: row.result_digest,
    eci: row.eci,
    cavv: row.cavv_ciphertext,
    finalDigest: row.final_digest,
    expiresAt: row.expires_at,
    bankTest: row.bank_test,
    lineIds: row.line_ids.map(BigInt),
  }
}
