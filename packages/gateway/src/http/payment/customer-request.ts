import type { CustomerDetails, PostalAddress } from '../../usecases/payments/payment-command.ts'
import { isSent, type SentRequest } from './sent-request.ts'

export function readCustomer(sent: SentRequest): CustomerDetails {
  return {
    reference: sent.XTL_CUST_ID ?? '',
    firstName: sent.CUST_FNAME ?? '',
    lastName: sent.CUST_LNAME ?? '',
    email: sent.CUST_EMAIL ?? '',
    phone: sent.CUST_PHONE ?? '',
    login: sent.CUST_LOGIN ?? '',
    ipAddress: sent.XTL_IP ?? '',
    stated: {
      birthday: isSent(sent, 'CUST_BIRTHDAY'),
      ssn: isSent(sent, 'CUST_SSN_L4'),
      taxNumber: isSent(sent, 'CUST_BRCPFCNPJ'),
    },
    others: sent.customerFields,
  }
}

export function readAddress(sent: SentRequest, prefix: 'BILL' | 'SHIP'): PostalAddress {
  return {
    street: sent[`${prefix}_ADDR`] ?? '',
    street2: sent[`${prefix}_ADDR2`] ?? '',
    city: sent[`${prefix}_ADDR_CITY`] ?? '',
    state: sent[`${prefix}_ADDR_STATE`] ?? '',
    postalCode: sent[`${prefix}_ADDR_ZIP`] ?? '',
    country: sent[`${prefix}_ADDR_COUNTRY`] ?? '',
    district: sent[`${prefix}_ADDR_DISTRICT`] ?? '',
  }
}

/** Values, by wire name, that are kept with the order and shown, but change nothing. */
export function readExtras(sent: SentRequest): Readonly<Record<string, string>> {
  const { TRANS_REBILL_TYPE, REQUEST_REBILL, orderFields } = sent
  return {
    ...orderFields,
    // It determines what the next payment of the subscription may be.
    ...(TRANS_REBILL_TYPE === undefined ? {} : { TRANS_REBILL_TYPE }),
    // The first payment of a series: its card is kept for the others.
    ...(REQUEST_REBILL === '2' ? { REQUEST_REBILL } : {}),
  }
}
