import AdminAPI
import Commerce
import Foundation
import Gatefold
import HTTPTypes
import JSON

extension AdminOperations {
    private static let deliveryHandle = AdminSchema.string(AdminText(1...DeliveryHandle.maxLength, .base64URL))

    static let deliveries: [Operation] = [
        Operation(
            "listDeliveries", .get, "/publications/{publication}/deliveries", role: .support, reach: .publication,
            summary: "List the deliveries of a publication",
            description: "The account that a delivery is for is not shown.",
            query: [
                AdminProperty("pending", .boolean, "Only those that are not yet delivered.", isRequired: false)
            ],
            success: .page(of: delivery, "A page of deliveries, the newest first."), audits: .deliveryList
        ) { services, call in
            let publication = try call.publication
            try await call.trail.record(.deliveryList, in: publication)
            let records = try await services.state.deliveries(
                in: publication, pendingOnly: call.query["pending"]?.boolValue ?? false,
                after: try call.page.after.map { try position($0) }, limit: call.page.limit + 1)
            return try call.page.page(records.map { (key($0), try json($0, services.key)) })
        },
        Operation(
            "retryDelivery", .post, "/publications/{publication}/deliveries/{delivery}/retry", role: .operator,
            reach: .publication, summary: "Retry a pending delivery immediately",
            pathParameters: [
                AdminProperty("delivery", deliveryHandle, "The member `id` of a delivery.")
            ],
            body: AdminBody([AdminReason.property(isRequired: false)], example: ["reason": "The carrier is back"]),
            success: .json(
                .object([AdminProperty("id", deliveryHandle, "The delivery.")]),
                "The delivery is due now."),
            audits: .deliveryRetry, isChange: true
        ) { services, call in
            let publication = try call.publication
            let handle = try call.path("delivery") { $0 }
            let id = try call.path("delivery") { DeliveryHandle.open($0, in: publication, key: services.key) }
            let isPending = try await call.trail.perform(
                .deliveryRetry, of: [.delivery(id.description, services.key)], in: publication,
                outcome: { (isPending: Bool) -> AuditDetails.Pairs in [("pending", isPending ? "yes" : "no")] }
            ) { try await services.state.retryDelivery(id, at: call.now) }
            // It may be delivered, refunded or erased.
            guard isPending else { throw AdminProblem.notFound }
            return ["id": .string(handle)]
        },
    ]

    private static let delivery = AdminSchema.object([
        AdminProperty("id", deliveryHandle, "A handle of the delivery. Each response has another one."),
        AdminProperty("product", AdminSchemas.text, "The product."),
        AdminProperty("quantity", .integer(1...1_000_000_000), "The number of items."),
        AdminProperty("ordered", .timestamp, "The time of the order."),
        AdminProperty("status", .choice(["pending", "delivered", "refunded"]), "The status."),
        AdminProperty("attempts", .nullable(.integer(0...1_000_000_000)), "The failed attempts of a pending delivery."),
        AdminProperty("next", .nullable(.timestamp), "The next attempt of a pending delivery."),
        AdminProperty("cause", .nullable(AdminSchemas.text), "The cause of the last failure."),
        AdminProperty("delivered", .nullable(.timestamp), "The time of the delivery."),
    ])

    /// Returns the key of a delivery in the list: the bits of its time, and its identifier.
    private static func key(_ record: DeliveryRecord) -> String {
        "\(record.ordered.timeIntervalSince1970.bitPattern) \(record.delivery.id)"
    }

    /// Returns the position of a key. The API has sealed the key, so that another one does not occur.
    private static func position(_ key: String) throws(AdminProblem) -> DeliveryPosition {
        let parts = key.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let bits = UInt64(parts[0]), let id = Delivery.ID(parts[1]) else { throw .failed }
        return DeliveryPosition(ordered: Date(timeIntervalSince1970: Double(bitPattern: bits)), id: id)
    }

    private static func json(_ record: DeliveryRecord, _ key: PseudonymKey) throws -> JSONValue {
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
            "id": .string(try DeliveryHandle(record.delivery, key: key).description),
            "product": .string(record.delivery.product),
            "quantity": .count(record.delivery.quantity), "ordered": .time(record.ordered), "status": .string(status),
            "attempts": attempts, "next": next, "cause": cause, "delivered": delivered,
        ]
    }
}
