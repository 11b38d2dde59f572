export function ReconciliationPage() { return null }
