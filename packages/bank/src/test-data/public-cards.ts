/** Public numbers by brand: accounts without limits that match everything. */
export const PUBLIC_CARDS: readonly (readonly [brand: string, pans: readonly string[]])[] = [
  ['Visa', ['4111111111111111', '4907639999990022', '4000000000000002', '4622943123100647']],
  ['Mastercard', ['5105105105105100', '5555555555554444', '5546989999990033']],
  ['American Express', ['378282246310005']],
  ['Discover', ['6011111111111117', '6011000990139424']],
  ['Diners Club', ['38520000023237', '30569309025904']],
  ['JCB', ['3530111333300000', '3566002020360505']],
  ['Mir', ['2200000000000004']],
]
