import type pg from 'pg'
import type { Site } from '../../../usecases/merchants/merchant-directory.ts'
import type { EarlierPayment } from '../usecases/operation-answer.ts'
import type { PortalPaymentCard } from '../usecases/pay.ts'
import type { SavedCardFound, TerminalSite } from '../usecases/terminal.ts'

/** The search for a saved card: a typed text, or the customer whose page leads here. */
export type CardRequest = { readonly text: string } | { readonly customerId: bigint }

/** The queries of the virtual terminal. */
export interface TerminalStore {
  sites(merchantId: bigint): Promise<readonly TerminalSite[]>
  findCards(
    merchantId: bigint,
    siteId: bigint,
    request: CardRequest,
  ): Promise<readonly SavedCardFound[]>
  findSource(merchantId: bigint, orderId: bigint): Promise<ChargeSource | null>
  isKnown(merchantId: bigint, key: string): Promise<boolean>
  findEarlier(
    site: Site,
    card: PortalPaymentCard,
    amountMinor: bigint,
    currency: string,
  ): Promise<EarlierPayment | null>
}

/** An order whose card may be charged again. */
export interface ChargeSource {
  readonly siteId: bigint
  readonly accountId: bigint
  readonly currency: string
  readonly customerId: bigint
  readonly paymentMethodId: bigint
  readonly networkTransactionId: string
}

/**
 * The queries of the virtual terminal, always of one merchant. `tokenHash`: the hash that finds a
 * card token.
 */
export function createTerminalStore(
  pool: pg.Pool,
  tokenHash: (token: string) => Buffer,
): TerminalStore {
  return {
    async sites(merchantId) {
      const { rows } = await pool.query<{
        id: string
        name: string
        mode: 'test' | 'live'
        default_currency: string
        cvv_required: boolean
        has_key: boolean
        accounts: { id: string; name: string; currencies: string[] }[]
      }>(
        `select s.id, s.name, s.mode, s.default_currency, s.cvv_required,
                exists (select from site_token_keys k where k.site_id = s.id) as has_key,
                (select coalesce(json_agg(json_build_object('id', a.id::text, 'name', trim(left(a.name_and_location, 25)),
                                                            'currencies', a.currencies) order by m.position, a.id), '[]')
                   from site_merchant_accounts m
                   join merchant_accounts a on a.id = m.merchant_account_id and a.mode = s.mode
                  where m.site_id = s.id and a.merchant_id = s.merchant_id) as accounts
           from sites s where s.merchant_id = $1 order by s.id`,
        [merchantId],
      )
      return rows.map((row) => ({
        id: BigInt(row.id),
        name: row.name,
        mode: row.mode,
        defaultCurrency: row.default_currency,
        cvvRequired: row.cvv_required,
        hasTokenKey: row.has_key,
        accounts: row.accounts.map((account) => ({ ...account, id: BigInt(account.id) })),
      }))
    },
    async findCards(merchantId, siteId, request) {
      const [where, value] =
        'customerId' in request
          ? (['p.customer_id = $3', request.customerId] as const)
          : searchFor(request.text)
      const { rows } = await pool.query<{
        customer_id: string
        id: string
        first_name: string
        last_name: string
        email: string
        brand: string
        last4: string
        expiry_month: number | null
        expiry_year: number | null
        last_used_at: Date
      }>(
        `select c.id as customer_id, p.id, c.first_name, c.last_name, c.email, p.brand, p.last4, p.expiry_month, p.expiry_year,
                p.last_used_at
           from payment_methods p join customers c on c.id = p.customer_id
          where p.merchant_id = $1 and c.merchant_id = $1 and p.removed_at is null and p.mode = (select mode from sites where id = $2 and merchant_id = $1)
            and ${where}
          order by p.last_used_at desc limit 20`,
        [merchantId, siteId, value],
      )
      return rows.map((row) => ({
        customerId: BigInt(row.customer_id),
        paymentMethodId: BigInt(row.id),
        name: `${row.first_name} ${row.last_name}`.trim(),
        email: row.email,
        brand: row.brand,
        last4: row.last4,
        expiry:
          row.expiry_month === null || row.expiry_year === null
            ? ''
            : `${String(row.expiry_month).padStart(2, '0')}/${row.expiry_year}`,
        lastUsedAt: row.last_used_at,
      }))
    },
    async findSource(merchantId, orderId) {
      const { rows } = await pool.query<Record<string, string>>(
        `select site_id, merchant_account_id, currency, customer_id, payment_method_id, network_transaction_id
           from orders where id = $1 and merchant_id = $2`,
        [orderId, merchantId],
      )
      const [row] = rows
      if (row === undefined) return null
      const id = (name: string): bigint => BigInt(row[name] ?? 0)
      return {
        siteId: id('site_id'),
        accountId: id('merchant_account_id'),
        currency: row['currency'] ?? '',
        customerId: id('customer_id'),
        paymentMethodId: id('payment_method_id'),
        networkTransactionId: row['network_transaction_id'] ?? '',
      }
    },
    async isKnown(merchantId, key) {
      const { rowCount } = await pool.query(
        'select from portal_operations where merchant_id = $1 and key = $2',
        [merchantId, key],
      )
      return rowCount === 1
    },
    async findEarlier(site, card, amountMinor, currency) {
      // The card by its fingerprint, which is the same however often the number was entered.
      const fingerprint =
        card.kind === 'saved'
          ? await pool.query<{ fingerprint: Buffer }>(
              'select fingerprint from payment_methods where id = $1 and customer_id = $2 and merchant_id = $3',
              [card.paymentMethodId, card.customerId, site.merchantId],
            )
          : await pool.query<{ fingerprint: Buffer }>(
              'select fingerprint from card_tokens where token_hash = $1 and merchant_id = $2',
              [tokenHash(card.token), site.merchantId],
            )
      const [found] = fingerprint.rows
      if (found === undefined) return null
      const { rows } = await pool.query<{
        id: string
        created_at: Date
        currency: string
        brand: string
        last4: string
        customer: string
      }>(
        `select o.id, o.created_at, o.currency, p.brand, p.last4,
                coalesce(nullif(trim(c.first_name || ' ' || c.last_name), ''), c.email) as customer
           from orders o join payment_methods p on p.id = o.payment_method_id join customers c on c.id = o.customer_id
          where o.merchant_id = $1 and o.created_at > $2 and o.created_at <= $3 and o.mode = $4 and o.kind = 'payment'
            and (o.state = 'authorized' and o.authorized_minor = $5 or o.state = 'running' and o.requested_minor = $5)
            and o.currency = $6 and not o.reversed_whole
            and p.fingerprint = $7
          order by o.created_at desc limit 1`,
        [
          site.merchantId,
          dayBefore(site),
          site.clock.now(),
          site.mode,
          amountMinor,
          currency,
          found.fingerprint,
        ],
      )
      const [row] = rows
      if (row === undefined) return null
      return {
        orderId: BigInt(row.id),
        at: row.created_at,
        amountMinor,
        currency: row.currency,
        brand: row.brand,
        last4: row.last4,
        customer: row.customer,
      }
    },
  }
}

/**
 * The condition of a search, each of which an index serves: last four, e-mail, or the beginning of
 * a name.
 */
function searchFor(text: string): readonly [where: string, value: string | readonly string[]] {
  if (/^\d{4}$/.test(text)) return ['p.last4 = $3', text]
  const lower = text.toLowerCase()
  if (lower.includes('@')) return [`lower(c.email) = $3 and c.email <> ''`, lower]
  const escaped = lower.replace(/[\\%_]/g, '\\$&')
  // A search says `Ann Lee`; the index has `lee ann`.
  const words = escaped.split(/\s+/)
  const turned = [words.at(-1), ...words.slice(0, -1)].join(' ')
  const name = `lower(c.last_name || ' ' || c.first_name)`
  return [
    `c.last_name <> '' and (${name} like ($3::text[])[1] or ${name} like ($3::text[])[2])`,
    [`${escaped}%`, `${turned}%`],
  ]
}

const DAY_MS = 86_400_000

function dayBefore({ clock }: Site): Date {
  return new Date(clock.now().getTime() - DAY_MS)
}
