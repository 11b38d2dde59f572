/** `Visa •••• 1111`; `Visa 411111 •••• 1111` where the first six digits are known. */
export function cardText(
  { brand, last4 }: { readonly brand: string; readonly last4: string },
  bin: string | null = '',
): string {
  return `${brand} ${bin === null || bin === '' ? '' : `${bin} `}•••• ${last4}`
}
