export function WhyTransactionPage() {
  return null
}
export function WhyRequestPage() {
  return null
}
