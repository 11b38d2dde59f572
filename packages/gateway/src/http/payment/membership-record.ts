import { membershipTimes } from '../../domain/memberships/membership.ts'
import type { MembershipRefusal } from '../../domain/memberships/requested-changes.ts'
import { formatMembershipTimestamp } from '../../domain/memberships/timestamp.ts'
import { serviceAdvice } from '../../domain/payments/service-codes.ts'
import type { MembershipCommand } from '../../usecases/memberships/change-membership.ts'
import type { StoredMembership } from '../../usecases/memberships/membership-store.ts'
import type { WireAnswer, Echo } from './answer.ts'
import type { Field } from './record.ts'
import { number, text } from './record.ts'
import type { RefusalName } from './refusals.ts'
import { blankAdvices, statusBlock } from './tiers.ts'

export const MEMBERSHIP_UPDATED = 102

/** The answer to a SUB_UPDATE or SUB_CANCEL that was done. */
export function membershipAnswer(
  { id, customerId, membership }: StoredMembership,
  kind: MembershipCommand['kind'],
  echo: Echo,
): WireAnswer {
  const { cancelAt, rebillAt } = membershipTimes(membership)
  const service = kind === 'update' ? MEMBERSHIP_UPDATED : 0
  const tiers = blankAdvices({
    api: '0',
    service,
    // As a decline 0 has a text; here it says that all went well.
    serviceAdvice: service === 0 ? '' : serviceAdvice(service),
  })
  const record: Field[] = [
    text('REQUEST_ACTION', echo.action),
    ...statusBlock(tiers),
    number('CUST_ID', customerId),
    number('MBSHP_ID', id),
    text('MBSHP_CANCEL_TS_UTC', cancelAt === null ? '' : formatMembershipTimestamp(cancelAt)),
    text('MBSHP_REBILL_TS_UTC', rebillAt === null ? '' : formatMembershipTimestamp(rebillAt)),
  ]
  return {
    body: { kind: 'record', record },
    httpStatus: 200,
    summary: {
      apiCode: '0',
      serviceCode: service,
      refField: '',
      state: '',
      orderId: null,
      transactionId: null,
    },
  }
}

/** The code of each refusal, and the parameter to blame. */
export const MEMBERSHIP_REFUSALS: Readonly<
  Record<
    MembershipRefusal | 'membership_not_found',
    { readonly name: RefusalName; readonly field: string }
  >
> = {
  nothing_to_change: { name: 'parameter_missing', field: 'SUB_UPDATE_PROD_ID' },
  membership_over: { name: 'membership_over', field: '' },
  product_not_rebillable: { name: 'membership_product_invalid', field: '' },
  not_set_for_rebill: { name: 'membership_not_renewing', field: '' },
  card_unknown: { name: 'card_not_found', field: 'SUB_UPDATE_PMT_ID' },
  membership_not_found: { name: 'membership_not_found', field: '' },
}
