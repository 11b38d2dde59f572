/**
 * Orders with an open settlement difference: its end may need another refund, and a file that comes
 * late names the order's advices. A list that is read once; open differences wait for a user, so
 * they are few.
 */
export const ORDERS_WITH_SETTLEMENT_DIFFERENCE = `
select d.order_id from settlement_differences d where d.state = 'open' and d.order_id is not null`
