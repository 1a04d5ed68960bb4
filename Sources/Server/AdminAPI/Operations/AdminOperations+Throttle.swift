import AdminAPI
import Gatefold
import HTTPTypes
import JSON

extension AdminOperations {
    private static let path = "/publications/{publication}/readers/{reader}/throttle"

    static let throttle: [Operation] = [
        Operation(
            "getThrottle", .get, path, role: .support, reach: .publication,
            summary: "Show the wrong attempts to sign in as a reader",
            description: "A known device or address of the reader is admitted nevertheless.",
            pathParameters: [AdminSchemas.readerParameter],
            success: .json(ReaderLocks.schema, "The wrong attempts."), audits: .throttleShow
        ) { services, call in
            let reader = try services.reader(call)
            try await call.trail.record(.throttleShow, of: [reader.subject], in: try call.publication)
            return try await ReaderLocks(of: reader, in: services.publications.value).json()
        },
        Operation(
            "releaseThrottle", .post, path + "/release", role: .support, reach: .publication,
            summary: "Forget the wrong attempts to sign in as a reader",
            description: """
                Those of addresses and devices still count. Another node forgets the attempts that it has counted itself when \
                the window of `login_throttle` has passed.
                """,
            pathParameters: [AdminSchemas.readerParameter],
            body: AdminBody(
                [
                    AdminProperty(
                        "identifier", .string(AdminText(1...1_024)),
                        "A sign-in identifier of the reader, besides those that `getThrottle` shows.",
                        isRequired: false),
                    AdminReason.property(isRequired: true),
                ], example: ["reason": "The reader called"]),
            success: .json(ReaderLocks.schema, "What still counts."), audits: .throttleRelease, isChange: true,
            isRepeatable: true
        ) { services, call in
            let reader = try services.reader(call)
            let identifier = call.body["identifier"]?.text
            let locks = try await ReaderLocks(of: reader, in: services.publications.value)
            let subjects =
                [reader.subject]
                + [identifier].compactMap(\.self).map {
                    AuditSubject.identifier($0, services.key)
                }
            return try await call.trail.perform(.throttleRelease, of: subjects, in: try call.publication) {
                try await locks.release(identifier)
                return try await locks.json()
            }
        },
    ]
}
