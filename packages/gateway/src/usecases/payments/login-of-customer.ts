import type { PaymentCommand } from './payment-command.ts'
import type { PaymentStore } from './payment-store.ts'

/**
 * The payment of a wide site, given to the customer of its login name if the merchant's own
 * customer id agrees. Deployed clients send both with every payment of a customer, and no CUST_ID.
 * Any other payment is returned as it came. A final call belongs to the customer of its enrolment.
 */
export async function withCustomerOfLogin(
  store: Pick<PaymentStore, 'findCustomerOfLogin'>,
  command: PaymentCommand,
): Promise<PaymentCommand> {
  const { card, site, threeDs } = command
  const { login, reference } = command.customer
  if (site.tolerance !== 'wide' || login === '' || reference === '') return command
  if (card.kind === 'saved' || card.customerId !== null) return command
  if (threeDs?.kind === 'final') return command
  const customerId = await store.findCustomerOfLogin(site, login, reference)
  return customerId === null ? command : { ...command, card: { ...card, customerId } }
}
