import Foundation
package import Gatefold
import TestSupport

extension ReceiptAuthority {
    /// How a receipt is signed, beside what Apple does today.
    package enum Manner: Sendable {
        case today
        /// As until January 2025.
        case sha1
        /// Without attributes of the signature, as PKCS#7 allows.
        case plain
        /// In BER with indefinite lengths, as Xcode writes.
        case indefinite
        /// What was signed is left out.
        case detached

        package var options: [String] {
            switch self {
            case .today: ["-nodetach", "-md", "sha256"]
            case .sha1: ["-nodetach", "-md", "sha1", "-noattr"]
            case .plain: ["-nodetach", "-md", "sha256", "-noattr"]
            case .indefinite: ["-nodetach", "-md", "sha256", "-stream"]
            case .detached: ["-md", "sha256"]
            }
        }
    }

    /// A receipt in its bytes.
    ///
    /// - Parameters:
    ///   - signers: nil for the authority's own.
    ///   - companions: sent besides; nil for the issuer and the root.
    package func sign(
        _ payload: [UInt8], by signers: [Certificate]? = nil, with companions: [Certificate]? = nil,
        _ manner: Manner = .today
    ) async throws -> [UInt8] {
        let signers = signers ?? [signer]
        let companions = companions ?? [issuer, root]
        return try await withTemporaryFolder { folder in
            try Data(payload).write(to: folder.appending(path: "payload"))
            var arguments = ["cms", "-sign", "-binary", "-outform", "DER", "-in", "payload", "-out", "receipt"]
            for (index, signer) in signers.enumerated() {
                try Self.write(signer.text, "signer\(index).pem", in: folder)
                try Self.write(signer.key, "signer\(index).key", in: folder)
                arguments += ["-signer", "signer\(index).pem", "-inkey", "signer\(index).key"]
            }
            if !companions.isEmpty {
                try Self.write(companions.map(\.text).joined(), "companions.pem", in: folder)
                arguments += ["-certfile", "companions.pem"]
            }
            try await Self.run(arguments + manner.options, in: folder)
            return Array(try Data(contentsOf: folder.appending(path: "receipt")))
        }
    }

    package func receipt(_ payload: TestPayload = TestPayload(), _ manner: Manner = .today) async throws -> StoreReceipt
    {
        StoreReceipt([.receipt: Data(try await sign(payload.bytes, by: nil, manner)).base64EncodedString()])
    }
}

extension StoreReceipt {
    package static func of(_ bytes: [UInt8]) -> StoreReceipt {
        StoreReceipt([.receipt: Data(bytes).base64EncodedString()])
    }
}
