import AdminAPI
import Commerce
import Gatefold
import HTTPTypes
import JSON

extension AdminOperations {
    /// The maximum number of deliveries that a list shows and a retry finds: the latest ones.
    private static let maxDeliveries = 10_000

    static let deliveries: [Operation] = [
        Operation(
            "listDeliveries", .get, "/publications/{publication}/deliveries", role: .support, reach: .publication,
            summary: "List the deliveries of a publication",
            description: "The account that a delivery is for is not shown.",
            query: [
                AdminProperty("pending", .boolean, "Only those that are not yet delivered.", isRequired: false)
            ],
            success: .page(of: delivery, "A page of deliveries, the newest first.")
        ) { services, call in
            let records = try await services.state.deliveries(
                in: try call.publication, pendingOnly: call.query["pending"]?.boolValue ?? false, limit: maxDeliveries)
            let items = records.map { (TimeKey.of($0.ordered, $0.delivery.id.reference), json($0)) }
            return try call.page.page(ofAll: items.sorted { $0.0 > $1.0 }, isAscending: false)
        },
        Operation(
            "retryDelivery", .post, "/publications/{publication}/deliveries/{delivery}/retry", role: .operator,
            reach: .publication, summary: "Retry a pending delivery immediately",
            pathParameters: [
                AdminProperty(
                    "delivery", .string(AdminText(32...32, .hexadecimal)), "The member `id` of a delivery.")
            ],
            body: AdminBody([AdminReason.property(isRequired: false)], example: ["reason": "The carrier is back"]),
            success: .json(
                .object([AdminProperty("id", .string(AdminText(32...32, .hexadecimal)), "The delivery.")]),
                "The delivery is due now."),
            audits: .deliveryRetry, isChange: true
        ) { services, call in
            let publication = try call.publication
            let reference = try call.path("delivery") { $0.utf8.count == 32 ? $0 : nil }
            let pending = try await services.state.deliveries(in: publication, pendingOnly: true, limit: maxDeliveries)
            guard let record = pending.first(where: { $0.delivery.id.reference == reference }) else {
                throw AdminProblem.notFound
            }
            let id = record.delivery.id
            let isPending = try await call.trail.perform(
                .deliveryRetry, of: [.delivery(id.description, services.key)], in: publication,
                outcome: { (isPending: Bool) -> AuditDetails.Pairs in [("pending", isPending ? "yes" : "no")] }
            ) { try await services.state.retryDelivery(id, at: call.now) }
            // Another worker may have delivered it meanwhile.
            guard isPending else { throw AdminProblem.notFound }
            return ["id": .string(reference)]
        },
    ]

    private static let delivery = AdminSchema.object([
        AdminProperty("id", .string(AdminText(32...32, .hexadecimal)), "The identifier of the delivery in logs."),
        AdminProperty("product", AdminSchemas.text, "The product."),
        AdminProperty("quantity", .integer(1...1_000_000_000), "The number of items."),
        AdminProperty("ordered", .timestamp, "The time of the order."),
        AdminProperty("status", .choice(["pending", "delivered", "refunded"]), "The status."),
        AdminProperty("attempts", .nullable(.integer(0...1_000_000_000)), "The failed attempts of a pending delivery."),
        AdminProperty("next", .nullable(.timestamp), "The next attempt of a pending delivery."),
        AdminProperty("cause", .nullable(AdminSchemas.text), "The cause of the last failure."),
        AdminProperty("delivered", .nullable(.timestamp), "The time of the delivery."),
    ])

    private static func json(_ record: DeliveryRecord) -> JSONValue {
        var (status, attempts, next, cause, delivered) = (
            "pending", JSONValue.null, JSONValue.null, JSONValue.null, JSONValue.null
        )
        switch record.status {
        case .pending(let count, let date, let text):
            attempts = .count(count)
            next = .time(date)
            cause = .optional(text)
        case .delivered(let date):
            status = "delivered"
            delivered = .time(date)
        case .refunded: status = "refunded"
        }
        return [
            "id": .string(record.delivery.id.reference), "product": .string(record.delivery.product),
            "quantity": .count(record.delivery.quantity), "ordered": .time(record.ordered), "status": .string(status),
            "attempts": attempts, "next": next, "cause": cause, "delivered": delivered,
        ]
    }
}
