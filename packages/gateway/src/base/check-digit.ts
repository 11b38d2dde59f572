export * from '@tollgate/kernel/check-digit'
