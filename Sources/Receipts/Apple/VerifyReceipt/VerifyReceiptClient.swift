import Foundation
import Gatefold
import JSON
import OutgoingRequests

/// Asks Apple about receipts of both older forms at the service that Apple no longer recommends and keeps running
/// (PROTOCOLS 6.1): production first, and sandbox only on the status that says so and only where sandbox counts.
///
/// Needed for the receipts of iOS 6, whose signature only Apple can verify, and for what became of a purchase since.
struct VerifyReceiptClient: Sendable {
    let apps: AppleApps
    let settings: VerifyReceiptSettings
    let http: OutgoingHTTP
    let protected: ProtectedStore

    /// A receipt as it is asked about, and what is known of it before.
    struct Question: Sendable {
        let bytes: [UInt8]
        /// Unverified; nil where it says none.
        var bundle: String?
        var environment: StoreEnvironment?
        /// Whether its contents could be read here, so that it is not malformed.
        var isReadable: Bool
    }

    /// - Throws: ``VerifyReceiptFailure``, `HTTPFailure` or `ProtectionError` when Apple could not be asked.
    func verdict(
        on question: Question, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> ReceiptVerdict {
        // What says of itself that it is not of an environment that counts need not be sent anywhere; what says that it
        // is, is not believed.
        if let claimed = question.environment, !allowed.contains(claimed) {
            return .refused(ReceiptRefusal(.wrongEnvironment))
        }
        if allowed.contains(.production) {
            let answer = try await ask(.production, question)
            guard answer.meaning == .isSandbox else {
                return try verdict(answer, of: .production, on: question, allowing: allowed, at: moment)
            }
        }
        guard allowed.contains(.sandbox) else { return .refused(ReceiptRefusal(.wrongEnvironment)) }
        let answer = try await ask(.sandbox, question)
        return try verdict(answer, of: .sandbox, on: question, allowing: allowed, at: moment)
    }

    private func ask(_ environment: StoreEnvironment, _ question: Question) async throws -> VerifyReceiptAnswer {
        try await post(body(question), to: environment == .production ? settings.production : settings.sandbox)
    }

    private func post(_ body: [UInt8], to url: ServiceURL) async throws -> VerifyReceiptAnswer {
        try await protected.ask { [http] in
            let answer = try await http.send(
                HTTPQuestion(
                    method: "POST", url: url,
                    headers: [HTTPQuestion.Header(name: "Content-Type", value: "application/json")], body: body,
                    isRepeatable: true))
            guard answer.status == 200 else { throw VerifyReceiptFailure.httpStatus(answer.status) }
            let read = try VerifyReceiptAnswer(answer.body)
            if read.meaning == .failed { throw VerifyReceiptFailure.status(read.status) }
            return read
        }
    }

    private func body(_ question: Question) -> [UInt8] {
        var members = [
            // In one line: Apple refuses unified receipts with line breaks (PROTOCOLS 6.1).
            JSONValue.Member(name: "receipt-data", value: .string(Data(question.bytes).base64EncodedString())),
            // Earlier periods of a subscription were paid for, too.
            JSONValue.Member(name: "exclude-old-transactions", value: .boolean(false)),
        ]
        if let secret = settings.secret(of: question.bundle) {
            members.append(
                JSONValue.Member(name: "password", value: .string(String(decoding: secret.bytes, as: UTF8.self))))
        }
        return JSONWriter.bytes(.object(members))
    }

    private func verdict(
        _ answer: VerifyReceiptAnswer, of asked: StoreEnvironment, on question: Question,
        allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) throws -> ReceiptVerdict {
        switch answer.meaning {
        case .refused(let reason): return .refused(ReceiptRefusal(reason, code: answer.status))
        // Sandbox sends elsewhere, which it does not.
        case .isSandbox, .failed: throw VerifyReceiptFailure.status(answer.status)
        case .doubtful:
            // Malformed it is not, so that Apple is in trouble: the receipt waits, and no longer than any other may.
            if question.isReadable { throw VerifyReceiptFailure.status(answer.status) }
            return .refused(ReceiptRefusal(.malformed, code: answer.status))
        case .told: break
        }
        guard let environment = Self.environment(answer, asked), allowed.contains(environment) else {
            return .refused(ReceiptRefusal(.wrongEnvironment))
        }
        guard let bundle = answer.bundle, apps.bundles.contains(bundle) else {
            return .refused(ReceiptRefusal(.wrongApp))
        }
        return .of(answer.purchases, in: apps.store, environment: environment, told: answer.told ?? moment)
    }

    /// What the answer says, but nothing that sandbox says is of production.
    private static func environment(
        _ answer: VerifyReceiptAnswer, _ asked: StoreEnvironment
    ) -> StoreEnvironment? {
        guard asked == .production, let word = answer.environment else { return asked }
        return AppleEnvironment.named(word)
    }
}

extension VerifyReceiptAnswer {
    var meaning: VerifyReceiptMeaning { VerifyReceiptMeaning(status: status, isRetryable: isRetryable) }
}
