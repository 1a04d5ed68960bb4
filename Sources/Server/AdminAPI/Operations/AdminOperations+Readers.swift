import AdminAPI
import Commerce
import Foundation
import Gatefold
import HTTPTypes
import JSON

extension AdminOperations {
    private static let path = "/publications/{publication}/readers/{reader}"

    private static let device = AdminSchema.object([
        AdminProperty("device", AdminSchemas.device, "The pseudonym of the device."),
        AdminProperty("first_used", .timestamp, "The first sign-in."),
        AdminProperty("last_used", .timestamp, "The last use."),
    ])

    static let readers: [Operation] = [
        Operation(
            "getReader", .get, path, role: .support, reach: .publication, summary: "Show a reader",
            description: """
                The subscriber system is queried with the limits of its configuration, unless its result is cached. If it does \
                not respond, `subscription` is null.
                """,
            pathParameters: [AdminSchemas.readerParameter],
            success: .json(
                .object([
                    AdminProperty("pseudonym", AdminSchemas.pseudonym, "The pseudonym in logs."),
                    AdminProperty("backend", AdminSchemas.text, "The backend that authenticated the reader."),
                    AdminProperty("key", AdminSchemas.text, "The backend's own key for the reader."),
                    AdminProperty("devices", .integer(0...1_000_000), "The number of devices."),
                    AdminProperty(
                        "sessions_ended_before", .nullable(.timestamp),
                        "All sessions issued before this time have ended; null if none were ended."),
                    AdminProperty("purchases", .integer(0...1_000_000), "The number of items of `listPurchases`."),
                    AdminProperty(
                        "subscription", .nullable(ReportedSubscription.schema),
                        "The subscription as the subscriber system states it; null if it is not known."),
                    AdminProperty(
                        "subscription_error", .nullable(AdminSchemas.text),
                        "Why the subscription is not known; null if it is."),
                ]), "The reader."),
            audits: .readerShow
        ) { services, call in
            let reader = try services.reader(call)
            let publication = try call.publication
            try await call.trail.record(.readerShow, of: [reader.subject], in: publication)
            let devices = try await services.state.devices(of: reader.pseudonym, in: publication)
            let purchases = try await services.transactions(of: reader)
            let boundary = reader.service.revocations.boundary(subscriber: reader.pseudonym)
            let reported = try await ReportedSubscription(of: reader, in: services.publications.value)
            return [
                "pseudonym": .string(reader.pseudonym.description), "backend": .string(reader.subscriber.backend),
                "key": .string(reader.subscriber.key), "devices": .count(devices.count),
                "sessions_ended_before": .time(boundary == .distantPast ? nil : boundary),
                "purchases": .count(purchases.count), "subscription": reported.json,
                "subscription_error": reported.error,
            ]
        },
        Operation(
            "listDevices", .get, path + "/devices", role: .support, reach: .publication,
            summary: "List the devices of a reader", pathParameters: [AdminSchemas.readerParameter],
            success: .page(of: device, "A page of devices by pseudonym."), audits: .deviceList
        ) { services, call in
            let reader = try services.reader(call)
            let publication = try call.publication
            try await call.trail.record(.deviceList, of: [reader.subject], in: publication)
            let devices = try await services.state.devices(of: reader.pseudonym, in: publication)
            return try call.page.page(ofAll: devices, by: { $0.reference.description }) { device in
                [
                    "device": .string(device.reference.description), "first_used": .time(device.firstUsed),
                    "last_used": .time(device.lastUsed),
                ]
            }
        },
        Operation(
            "removeDevice", .delete, path + "/devices/{device}", role: .support, reach: .publication,
            summary: "Remove a device of a reader",
            description: "Ends the sessions of the device, and makes room for another one.",
            pathParameters: [
                AdminSchemas.readerParameter,
                AdminProperty("device", AdminSchemas.device, "The pseudonym of the device."),
            ], query: [AdminReason.property(isRequired: false)],
            success: .nothing("The device is removed."), audits: .deviceRemove, isChange: true
        ) { services, call in
            let reader = try services.reader(call)
            let publication = try call.publication
            let reference = try call.path("device") { DevicePseudonym($0) }
            let devices = try await services.state.devices(of: reader.pseudonym, in: publication)
            guard let device = devices.first(where: { $0.reference == reference }) else { throw AdminProblem.notFound }
            let list = reader.service.revocations
            try await call.trail.perform(
                .deviceRemove, of: [reader.subject], in: publication, [("device", reference.description)]
            ) {
                let revocation = Revocation(
                    publication: publication, subscriber: reader.pseudonym, evicting: device,
                    recorded: list.boundary(subscriber: reader.pseudonym, session: SessionPseudonym(reference)),
                    at: call.now)
                // If the second step fails, a repetition finds the device and makes both.
                try await services.sessions.record(revocation)
                list.add(revocation)
                // A device that signed in meanwhile has a session that goes on, and remains.
                try await services.sessions.remove(
                    reference, of: reader.pseudonym, in: publication, usedUntil: max(call.now, device.lastUsed))
            }
            return nil
        },
        Operation(
            "endSessions", .post, path + "/sessions/end", role: .support, reach: .publication,
            summary: "End all sessions of a reader",
            description: "Ends tokens, their renewals, and downloads with sealed salts. The reader can sign in again.",
            pathParameters: [AdminSchemas.readerParameter],
            body: AdminBody([AdminReason.property(isRequired: true)], example: ["reason": "The reader lost a device"]),
            success: .json(
                .object([
                    AdminProperty("sessions_ended_before", .timestamp, "Sessions issued before this time have ended.")
                ]), "The sessions have ended."),
            audits: .sessionEnd, isChange: true
        ) { services, call in
            let reader = try services.reader(call)
            let list = reader.service.revocations
            let revocation = list.makeRevocation(reader.pseudonym, at: call.now)
            try await call.trail.perform(.sessionEnd, of: [reader.subject], in: try call.publication) {
                try await services.sessions.record(revocation)
                list.add(revocation)
            }
            return ["sessions_ended_before": .time(revocation.before)]
        },
        Operation(
            "listPurchases", .get, path + "/purchases", role: .support, reach: .publication,
            summary: "List the purchases of a reader in app stores",
            description: "Those of products of the publication, also by linked installations and accounts.",
            pathParameters: [AdminSchemas.readerParameter],
            success: .page(of: purchase, "A page of purchases, the newest first."), audits: .purchaseShow
        ) { services, call in
            let reader = try services.reader(call)
            try await call.trail.record(.purchaseShow, of: [reader.subject], in: try call.publication)
            let transactions = try await services.transactions(of: reader)
            return try call.page.page(
                ofAll: transactions, isAscending: false, by: { TimeKey.of($0.purchased, "\($0.store)/\($0.id)") },
                json: { json($0) })
        },
    ]

    private static let purchase = AdminSchema.object([
        AdminProperty("store", AdminSchemas.text, "The app store."),
        AdminProperty("transaction", AdminSchemas.text, "The store's identifier of the transaction."),
        AdminProperty("product", AdminSchemas.text, "The product."),
        AdminProperty(
            "environment", .choice(StoreEnvironment.allCases.map(\.rawValue)), "The environment of the store."),
        AdminProperty("purchased", .timestamp, "The time of the purchase."),
        AdminProperty("expires", .nullable(.timestamp), "The end of the paid period; null for none."),
        AdminProperty("revoked", .nullable(.timestamp), "When the store refunded it; null if it did not."),
    ])

    private static func json(_ transaction: StoreTransaction) -> JSONValue {
        [
            "store": .string(transaction.store.rawValue), "transaction": .string(transaction.id),
            "product": .string(transaction.product), "environment": .string(transaction.environment.rawValue),
            "purchased": .time(transaction.purchased), "expires": .time(transaction.ends),
            "revoked": .time(transaction.revoked),
        ]
    }
}

extension AdminServices {
    /// Returns the transactions of a reader that count in the publication.
    fileprivate func transactions(of reader: AdminReader) async throws -> [StoreTransaction] {
        let service = reader.service
        return try await service.purchases?.ownTransactions(
            of: key.owner(reader.subscriber), in: service.publication.rule.catalogue) ?? []
    }
}
