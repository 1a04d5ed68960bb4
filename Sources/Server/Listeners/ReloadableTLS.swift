import Foundation
import NIOCore
public import NIOSSL
import Synchronization

/// The listener's certificate and key, replaced without closing the listener.
public final class ReloadableTLS: Sendable {
    private let files: GatefoldConfiguration.TLSFiles
    private let current: Mutex<NIOSSLContextConfigurationOverride>

    /// - Throws: ``TLSFileError`` when a file can not be used.
    public init(_ files: GatefoldConfiguration.TLSFiles) throws {
        self.files = files
        current = Mutex(try Self.read(files))
    }

    /// Reads the files again; new connections get what they hold now, and after an error what they held before.
    public func reload() throws {
        let read = try Self.read(files)
        current.withLock { $0 = read }
    }

    /// TLS 1.2 and later, the certificate chosen anew for every connection.
    public func configuration() throws -> TLSConfiguration {
        let now = current.withLock { $0 }
        guard let chain = now.certificateChain, let key = now.privateKey else {
            throw TLSFileError.empty(files.certificate)
        }
        var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
        configuration.minimumTLSVersion = .tlsv12
        configuration.sslContextCallback = { [self] _, promise in
            promise.succeed(current.withLock { $0 })
        }
        return configuration
    }

    private static func read(_ files: GatefoldConfiguration.TLSFiles) throws -> NIOSSLContextConfigurationOverride {
        var override = NIOSSLContextConfigurationOverride()
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(files.certificate)
        } catch {
            throw TLSFileError.unreadable(files.certificate, "a PEM certificate chain")
        }
        guard let leaf = chain.first else { throw TLSFileError.empty(files.certificate) }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(file: files.key, format: .pem)
        } catch {
            throw TLSFileError.unreadable(files.key, "a PEM private key")
        }
        // A pair that does not match would fail every handshake; the old pair is better.
        var trial = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(leaf)], privateKey: .privateKey(key))
        trial.certificateVerification = .none
        do {
            _ = try NIOSSLContext(configuration: trial)
        } catch {
            throw TLSFileError.mismatch(certificate: files.certificate, key: files.key)
        }
        override.certificateChain = chain.map { .certificate($0) }
        override.privateKey = .privateKey(key)
        return override
    }
}

/// Why the listener's certificate or key can not be used.
public enum TLSFileError: Error, Equatable, Sendable, CustomStringConvertible {
    case unreadable(String, String)
    case empty(String)
    case mismatch(certificate: String, key: String)

    public var description: String {
        switch self {
        case .unreadable(let path, let expected): "\(path): expected \(expected)"
        case .empty(let path): "\(path): expected at least one certificate"
        case .mismatch(let certificate, let key): "\(key): expected the private key of \(certificate)"
        }
    }
}
