import AdminAPI
import Foundation
import Gatefold
import HTTPTypes
import JSON

extension AdminOperations {
    static let tokens: [Operation] = [
        Operation(
            "inspectToken", .post, "/publications/{publication}/tokens/inspect", role: .support, reach: .publication,
            summary: "Show the reader and the session of a token that an app has",
            body: AdminBody(
                [
                    AdminProperty("token", .string(AdminText(1...8_192, .printable)), "The token of the app."),
                    AdminReason.property(isRequired: false),
                ], example: ["token": "not-a-token", "reason": "The reader sent a screenshot"]),
            success: .json(
                .object([
                    AdminProperty(
                        "verdict", .choice(["unknown"] + InspectedToken.Verdict.allCases.map(\.rawValue)),
                        "`unknown` if it is no token of the publication. The other members are then null."),
                    AdminProperty("reader", .nullable(AdminSchemas.handle), "The handle of the reader."),
                    AdminProperty("pseudonym", .nullable(AdminSchemas.pseudonym), "The pseudonym in logs."),
                    AdminProperty("device", .nullable(AdminSchemas.device), "The device."),
                    AdminProperty("issued", .nullable(.timestamp), "The sign-in."),
                    AdminProperty("expires", .nullable(.timestamp), "The end of the token."),
                ]), "The content of the token."),
            audits: .tokenInspect
        ) { services, call in
            let service = try services.service(call)
            guard let token = service.inspect(token: call.body["token"]?.text ?? "") else {
                try await call.trail.record(.tokenInspect, in: try call.publication, [("verdict", "unknown")])
                return [
                    "verdict": "unknown", "reader": .null, "pseudonym": .null, "device": .null, "issued": .null,
                    "expires": .null,
                ]
            }
            try await call.trail.record(
                .tokenInspect, of: [.subscriber(token.subscriber)], in: try call.publication,
                [("session", token.session.reference.description)])
            let isTester = token.session.issuedAt >= .distantFuture
            return [
                "verdict": .string(token.verdict.rawValue),
                "reader": .optional(try? ReaderHandle(token.session.subscriber, key: services.key).description),
                "pseudonym": .string(token.subscriber.description),
                "device": .optional(token.session.device?.description),
                "issued": isTester ? .null : .time(token.session.issuedAt), "expires": .time(token.session.expiresAt),
            ]
        }
    ]
}
