import { ListPage } from './list-page.tsx'

export function OrdersPage() {
  return <ListPage list="orders" />
}

export function TransactionsPage() {
  return <ListPage list="transactions" />
}
