import type { Currency } from '../../domain/currency.ts'
import { startMembership, type MembershipProduct } from '../../domain/memberships/membership.ts'
import type { ProductDefinition } from '../../domain/memberships/product.ts'
import type { CatalogueProduct, Site, SiteInMode } from '../merchants/merchant-directory.ts'
import type { PaymentCommand, PaymentRefusal, RefusedPayment } from '../payments/payment-command.ts'
import type { PaymentField } from '../payments/payment-field.ts'
import type { NewMembership } from '../payments/payment-store.ts'

/** A line, counted from 0, whose approval begins a membership. */
export interface SoldMembership {
  readonly line: number
  readonly product: MembershipProduct
}

/** The facts that the sale of a membership needs. */
export interface MembershipSales {
  /** A product that the site's remembered catalogue may not have yet; null: there is none. */
  findProduct(siteId: bigint, productId: string): Promise<CatalogueProduct | null>
  /** The site's product of this definition; made where there is none, unless `mayMake` is false. */
  define(
    siteId: bigint,
    definition: ProductDefinition,
    mayMake: boolean,
  ): Promise<{ readonly productId: string; readonly active: boolean } | null>
  /** Whether the customer has a membership of one of the products that goes on. */
  hasOne(site: SiteInMode, customerId: bigint, productIds: readonly string[]): Promise<boolean>
}

export type MembershipSale =
  | {
      readonly kind: 'sale'
      /** With the id of the product that was defined. */
      readonly command: PaymentCommand
      readonly sells: readonly SoldMembership[]
    }
  | {
      readonly kind: 'refused'
      readonly refusal: PaymentRefusal
      readonly field: PaymentField | null
    }

export const MEMBERSHIP_EXISTS: RefusedPayment = {
  kind: 'refused',
  refusal: 'membership_exists',
  field: null,
}

const NOTHING_SOLD: readonly SoldMembership[] = []

/**
 * Ids of products that payments define: what the catalogue does not know yet may be one of these.
 */
const DEFINED_ELSEWHERE = /^81[0-9]{9}$/

/** Whether anything of the request could be a membership's; costs no query. */
export function mayBeginMembership({ kind, definition, lines, site }: PaymentCommand): boolean {
  if (kind === 'refund') return false
  if (definition !== null) return true
  return lines.some((line) => {
    const productId = line.product || site.defaultProduct
    const known = site.products.get(productId)
    return known === undefined ? DEFINED_ELSEWHERE.test(productId) : known.terms !== null
  })
}

/**
 * Finds the products of the memberships that a payment sells, and makes the one that it defines. A
 * payment that renews something, by the gateway's hand or by the merchant's, begins nothing.
 */
export async function findSoldMemberships(
  sales: MembershipSales,
  command: PaymentCommand,
  currency: Currency,
): Promise<MembershipSale> {
  const { definition, site, initiation } = command
  const lines = [...command.lines]
  let defined: SoldMembership | null = null
  if (definition !== null) {
    const { product } = definition
    const made = await sales.define(site.id, product, site.catalogue === 'open')
    if (made === null) return refused('product_not_found')
    if (!made.active) return refused('product_inactive')
    const line = lines[definition.line]
    if (line !== undefined) lines[definition.line] = { ...line, product: made.productId }
    defined = { line: definition.line, product: { ...product, productId: made.productId } }
  }
  if (initiation.recurring === 'rebill') return { kind: 'sale', command, sells: NOTHING_SOLD }

  let sells = NOTHING_SOLD
  for (const [at, line] of lines.entries()) {
    if (at === defined?.line) {
      sells = [...sells, defined]
      continue
    }
    if (line.membershipId !== undefined) continue
    const productId = line.product || site.defaultProduct
    const product =
      site.products.get(productId) ?? (await productMadeJustNow(sales, site, productId))
    if (product === null || product.terms === null) continue
    if (!product.active) return refused('product_inactive')
    const { terms } = product
    if (terms.price.currency.code !== currency.code) return refused('product_misconfigured')
    sells = [...sells, { line: at, product: { ...terms, productId } }]
  }
  if (sells.length === 0) return { kind: 'sale', command, sells }
  const isFirst =
    initiation.recurring === 'none' && sells.some(({ product }) => product.type === 'renews')
  return {
    kind: 'sale',
    command: {
      ...command,
      lines,
      // The first payment announces to the networks that others follow.
      initiation: isFirst ? { ...initiation, recurring: 'first' } : initiation,
    },
    sells,
  }
}

/** Whether the customer would have two memberships of one product. */
export async function hasMembership(
  { memberships }: { readonly memberships: MembershipSales },
  payment: {
    readonly command: Pick<PaymentCommand, 'site'>
    readonly customer: { readonly id: bigint } | null
    readonly sells: readonly SoldMembership[]
  },
): Promise<boolean> {
  const { command, customer, sells } = payment
  const productIds = sells.map(({ product }) => product.productId)
  if (new Set(productIds).size < productIds.length) return true
  return customer !== null && memberships.hasOne(command.site, customer.id, productIds)
}

/**
 * The memberships that an approval begins. A line that was approved for less than its amount begins
 * none.
 */
export async function beginMemberships(
  deps: { readonly nextId: (kind: 'membership') => bigint | Promise<bigint> },
  payment: {
    readonly command: Pick<PaymentCommand, 'lines'>
    readonly sells: readonly SoldMembership[]
  },
  lines: readonly { readonly id: bigint }[],
  approvedMinor: readonly bigint[],
  at: Date,
): Promise<readonly NewMembership[]> {
  const { command, sells } = payment
  const begun: NewMembership[] = []
  for (const { line, product } of sells) {
    const lineId = lines[line]?.id
    const whole = approvedMinor[line] === command.lines[line]?.amountMinor
    if (lineId === undefined || !whole) continue
    const { cardId: _, ...membership } = startMembership(product, 0n, at)
    begun.push({ id: await deps.nextId('membership'), lineId, membership })
  }
  return begun
}

async function productMadeJustNow(
  sales: MembershipSales,
  { id, catalogue }: Site,
  productId: string,
): Promise<CatalogueProduct | null> {
  if (catalogue === 'strict' || !DEFINED_ELSEWHERE.test(productId)) return null
  return sales.findProduct(id, productId)
}

function refused(refusal: PaymentRefusal): MembershipSale {
  return { kind: 'refused', refusal, field: null }
}
