import { EmptyState } from '../parts/empty-state.tsx'

export function NotFound() {
  return <EmptyState title="There is nothing at this address" text="It may have been mistyped, or the link is an old one." />
}
