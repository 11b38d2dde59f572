import type { CustomerDetails, PaymentCommand, PostalAddress } from './payment-command.ts'

/** The fields that every payment needs. */
export type PaymentEssentials = Pick<
  PaymentCommand,
  'kind' | 'requestId' | 'site' | 'merchantAccountId' | 'currency' | 'lines' | 'totalMinor' | 'card'
>

const NO_API_USER = 0n

const NO_ADDRESS: PostalAddress = {
  street: '',
  street2: '',
  city: '',
  state: '',
  postalCode: '',
  country: '',
  district: '',
}

const NO_CUSTOMER: CustomerDetails = {
  reference: '',
  firstName: '',
  lastName: '',
  email: '',
  phone: '',
  login: '',
  ipAddress: '',
  stated: { birthday: false, ssn: false, taxNumber: false },
  others: {},
}

/**
 * A payment that no API user sent and that asks for nothing special. The site's defaults are in
 * force, and it may happen more than once. Special fields of a payment are set over it.
 */
export function plainPayment(essentials: PaymentEssentials): PaymentCommand {
  return {
    ...essentials,
    userId: NO_API_USER,
    definition: null,
    customer: NO_CUSTOMER,
    billing: NO_ADDRESS,
    shipping: NO_ADDRESS,
    orderReference: '',
    duplicates: 'allow',
    avsMode: null,
    cvvMode: null,
    avsMatchSet: null,
    cvvMatchSet: null,
    partial: { allowed: false, minimumMinor: null },
    initiation: {
      initiator: null,
      recurring: 'none',
      instalment: false,
      rebillType: null,
      membershipReference: '',
      trialConsent: false,
      originalNetworkTransactionId: '',
    },
    threeDs: null,
    processorUdf1: '',
    processorUdf2: '',
    maxWaitS: null,
    descriptor: { name: '', city: '', phone: '' },
    repeatable: null,
    bankTest: null,
    extras: {},
  }
}
