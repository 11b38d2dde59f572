export * from '@tollgate/kernel/retry-plan'
