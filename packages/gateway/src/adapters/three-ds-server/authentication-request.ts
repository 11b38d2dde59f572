import type { CardNumber } from '../../domain/payments/card-number.ts'
import { countryOf, type MerchantAccount } from '../../usecases/merchants/merchant-directory.ts'
import type { ThreeDsDirectory } from '../../usecases/three-ds/directory.ts'
import type { AuthenticationQuestion } from '../../usecases/three-ds/three-ds-server.ts'
import { browserElements } from './browser-elements.ts'
import { cardholderElements } from './cardholder-elements.ts'
import { countryNumber } from './iso-countries.ts'
import { shortened, withoutNulls } from './plain-text.ts'
import type { Message } from './protocol-fault.ts'

/** The address of the gateway itself. */
export interface OwnAddresses {
  /** threeDSServerURL: takes the RReq. */
  readonly resultsUrl: string
  /** notificationURL: takes what the issuer's page sends the browser back with. */
  readonly notificationUrl: string
}

const NAME_LENGTH = 25
const MOST_DAYS = 9_999
const DAY_MS = 86_400_000

/** The AReq for a question, or names of elements without which there can be none. */
export function buildAuthenticationRequest(
  question: AuthenticationQuestion,
  directory: ThreeDsDirectory,
  own: OwnAddresses,
): { readonly message: Message } | { readonly missing: readonly string[] } {
  const { account, amountMinor, currency, expiry, recurring, version } = question
  if (account.threeDs === null) return { missing: ['threeDSRequestorID'] }
  const browser = browserElements(question.browser, version)
  if ('missing' in browser) return browser
  const merchant = merchantOf(account)
  const isPayment = amountMinor > 0n
  return {
    message: withoutNulls({
      messageType: 'AReq',
      messageVersion: version,
      messageCategory: isPayment ? '01' : '02',
      deviceChannel: '02',
      threeDSServerTransID: question.serverTransId,
      threeDSServerRefNumber: directory.refNumber,
      threeDSServerOperatorID: directory.operatorId,
      threeDSServerURL: own.resultsUrl,
      threeDSRequestorID: account.threeDs.requestorId,
      threeDSRequestorName: merchant.name,
      threeDSRequestorURL: account.threeDs.requestorUrl,
      threeDSRequestorAuthenticationInd: recurring !== null ? '02' : isPayment ? '01' : '04',
      threeDSRequestorChallengeInd: question.challengePreference,
      threeDSCompInd: question.methodCompletion,
      acctNumber: numberOf(question.pan),
      cardExpiryDate:
        expiry === null ? null : twoDigits(expiry.year % 100) + twoDigits(expiry.month),
      acquirerBIN: account.acquirerId,
      acquirerMerchantID: account.acquirerMerchantId,
      mcc: account.categoryCode,
      merchantCountryCode: merchant.country,
      merchantName: merchant.name,
      purchaseAmount: amountMinor.toString(),
      purchaseCurrency: currency.numeric,
      purchaseExponent: String(currency.digits),
      purchaseDate: digitsOf(question.at),
      transType: '01',
      recurringExpiry:
        recurring === null ? null : (recurring.until ?? dayAfter(question.at, recurring.everyDays)),
      recurringFrequency:
        recurring === null ? null : String(Math.min(Math.max(recurring.everyDays, 1), MOST_DAYS)),
      ...browser.elements,
      notificationURL: own.notificationUrl,
      ...cardholderElements(
        question.customer,
        question.billing,
        question.shipping,
        account.merchantId,
      ),
    }),
  }
}

/** YYYYMMDDHHMMSS, UTC. */
function digitsOf(at: Date): string {
  return at.toISOString().slice(0, 19).replace(/\D/g, '')
}

function dayAfter(at: Date, days: number): string {
  return digitsOf(new Date(at.getTime() + days * DAY_MS)).slice(0, 8)
}

function numberOf(pan: CardNumber): string {
  return pan.reveal()
}

/** The same name and country that the authorization carries to the acquirer. */
function merchantOf(account: MerchantAccount): {
  readonly name: string | null
  readonly country: string | null
} {
  return {
    name: shortened(account.nameAndLocation.slice(0, NAME_LENGTH), NAME_LENGTH),
    country: countryNumber(countryOf(account)),
  }
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
