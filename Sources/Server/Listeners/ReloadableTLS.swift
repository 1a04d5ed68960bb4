import Foundation
import NIOCore
public import NIOSSL
import Synchronization

/// The listener's certificate and key, replaced without closing the listener.
public final class ReloadableTLS: Sendable {
    private let current: Mutex<Pair>

    private struct Pair {
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKeySource
    }

    /// - Throws: ``TLSFileError`` when a file can not be used.
    public init(_ files: GatefoldConfiguration.TLSFiles) throws {
        current = Mutex(try Self.read(files))
    }

    /// Reads the files again; new connections get what they hold now, and after an error what they held before.
    public func reload(_ files: GatefoldConfiguration.TLSFiles) throws {
        let read = try Self.read(files)
        current.withLock { $0 = read }
    }

    /// TLS 1.2 and later, the certificate chosen anew for every connection.
    public func configuration() throws -> TLSConfiguration {
        let now = current.withLock { $0 }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: now.chain, privateKey: now.key)
        configuration.minimumTLSVersion = .tlsv12
        configuration.sslContextCallback = { [self] _, promise in
            let now = current.withLock { $0 }
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = now.chain
            override.privateKey = now.key
            promise.succeed(override)
        }
        return configuration
    }

    private static func read(_ files: GatefoldConfiguration.TLSFiles) throws -> Pair {
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
        return Pair(chain: chain.map { .certificate($0) }, key: .privateKey(key))
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
