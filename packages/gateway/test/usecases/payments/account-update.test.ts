import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CardNumber } from '../../../src/domain/payments/card-number.ts'
import { describeAccountUpdate } from '../../../src/usecases/payments/account-update.ts'
import type { BankFacts } from '../../../src/usecases/payments/payment-store.ts'
import type { Resolved } from '../../../src/usecases/payments/resolve-payment.ts'
import { VaultUnavailableError, type CardVault } from '../../../src/usecases/vault/card-vault.ts'

const RENEWAL = {
  saved: { paymentMethodId: 7n },
  command: { site: { merchantId: 1n } },
} as unknown as Resolved
const NEW_NUMBER = {
  merchantAdvice: '01',
  cardUpdate: {
    number: new CardNumber('4111111111111111'),
    result: 'N',
    description: '',
    on: null,
    expiry: null,
  },
} as unknown as BankFacts

const vaultThat = (seal: CardVault['seal']) => ({ seal }) as CardVault

test('a new number of the account updater is sealed for the row of its card', async () => {
  const places: string[] = []
  const vault = vaultThat(async (_pan, { kind, id }, merchantId) => {
    places.push(`${kind} ${id} of ${merchantId}`)
    return { sealed: { ciphertext: 'ab', dataKeyId: 1 }, fingerprint: 'cd' }
  })
  const described = await describeAccountUpdate(vault, RENEWAL, NEW_NUMBER)
  assert.deepEqual(places, ['payment method 7 of 1'])
  assert.deepEqual(described?.update?.number, {
    sealed: { ciphertext: 'ab', dataKeyId: 1 },
    fingerprint: 'cd',
    last4: '1111',
  })
})

test('a vault that is away does not keep the answer of the bank from being recorded', async () => {
  const away = vaultThat(() => Promise.reject(new VaultUnavailableError('away')))
  const described = await describeAccountUpdate(away, RENEWAL, NEW_NUMBER)
  assert.deepEqual(described, { merchantAdvice: '01', update: null })
  const broken = vaultThat(() => Promise.reject(new Error('broken')))
  await assert.rejects(describeAccountUpdate(broken, RENEWAL, NEW_NUMBER), /broken/)
})
