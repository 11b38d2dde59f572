export * from '@tollgate/kernel/card-number-text'
