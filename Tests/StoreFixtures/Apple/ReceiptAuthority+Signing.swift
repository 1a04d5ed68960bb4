package import Commerce
import Foundation
import TestSupport

extension ReceiptAuthority {
    /// The format of a receipt's signature, apart from Apple's current one.
    package enum SigningMode: Sendable {
        case today
        /// The format until January 2025.
        case sha1
        /// Without signed attributes, as PKCS#7 allows.
        case plain
        /// In BER with indefinite lengths, as Xcode writes it.
        case indefinite
        /// Without the signed content.
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

    /// Returns the bytes of a receipt.
    ///
    /// - Parameters:
    ///   - signers: The signers. Default: the authority's own.
    ///   - companions: Additional certificates. Default: the issuer and the root.
    package func sign(
        _ payload: [UInt8], by signers: [Certificate]? = nil, with companions: [Certificate]? = nil,
        _ mode: SigningMode = .today
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
            try await Self.run(arguments + mode.options, in: folder)
            return Array(try Data(contentsOf: folder.appending(path: "receipt")))
        }
    }

    package func receipt(_ payload: TestPayload = TestPayload(), _ mode: SigningMode = .today) async throws
        -> StoreReceipt
    {
        StoreReceipt([.receipt: Data(try await sign(payload.bytes, by: nil, mode)).base64EncodedString()])
    }
}

extension StoreReceipt {
    package static func of(_ bytes: [UInt8]) -> StoreReceipt {
        StoreReceipt([.receipt: Data(bytes).base64EncodedString()])
    }
}
