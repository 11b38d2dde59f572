/**
 * Parses an entered card into the form of the gateway, or returns its error. Both the page and the
 * server use it.
 */
export function readCard({ number = '', expiry = '', code = '' }) {
  const cardNumber = String(number).replace(/[\s-]/g, '')
  const [, month, year] = /^\s*(0[1-9]|1[0-2])\s*\/\s*(?:20)?(\d{2})\s*$/.exec(expiry) ?? []
  const securityCode = String(code).trim()
  if (!/^\d{12,19}$/.test(cardNumber))
    return { field: 'number', problem: 'Enter the number of the card.' }
  if (month === undefined) {
    return {
      field: 'expiry',
      problem: 'Enter the month and year that are on the card, such as 04/2030.',
    }
  }
  if (!/^\d{3,4}$/.test(securityCode)) {
    return { field: 'code', problem: 'Enter the three or four digits of the security code.' }
  }
  return { cardNumber, expiry: `${month}20${year}`, securityCode }
}
