import Foundation
import Metrics
import NIOCore
public import NIOSSL
import Synchronization

/// The listener's certificate and key, which can be replaced without closing the listener.
public final class ReloadableTLS: Sendable {
    private let current: Mutex<Pair>

    private struct Pair {
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKeySource
        let validity: CertificateValidity
    }

    /// - Throws: ``TLSFileError`` if a file is unusable.
    public init(_ files: GatefoldConfiguration.TLSFiles) throws {
        current = Mutex(try Self.read(files))
    }

    /// Returns a sentence about the certificate's validity for an operator, or nil if the certificate is valid and
    /// does not end soon.
    ///
    /// The listener uses an expired certificate anyway, so that clients that ignore the expiry can still connect.
    func problem(at timestamp: Date) -> String? { current.withLock(\.validity).problem(at: timestamp) }

    /// Sets the metric on which alerts are based.
    func measure(_ listener: String) {
        Gauge(label: "gatefold_tls_certificate_end_timestamp_seconds", dimensions: [("listener", listener)])
            .record(current.withLock(\.validity).end.timeIntervalSince1970)
    }

    /// - Throws: ``TLSFileError``, also for a certificate that has expired or is not yet valid.
    /// - Returns: A warning about the certificate for an operator, or nil.
    static func check(_ files: GatefoldConfiguration.TLSFiles, at timestamp: Date) throws -> String? {
        let validity = try read(files).validity
        let problem = validity.problem(at: timestamp)
        if let problem, validity.status(at: timestamp) != .expiresSoon {
            throw TLSFileError.notValid(files.certificate, problem)
        }
        return problem.map { "\(files.certificate): \($0)" }
    }

    /// Reads the files again.
    ///
    /// - Returns: A closure after which new connections use the new contents.
    /// - Throws: ``TLSFileError`` if a file is unusable.
    func prepareReload(_ files: GatefoldConfiguration.TLSFiles) throws -> () -> Void {
        let read = try Self.read(files)
        return { [self] in current.withLock { $0 = read } }
    }

    /// Returns a configuration with TLS 1.2 and later that selects the current certificate for every connection.
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
        // A pair that does not match would fail every handshake, so the previous pair stays in use.
        var trial = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(leaf)], privateKey: .privateKey(key))
        trial.certificateVerification = .none
        do {
            _ = try NIOSSLContext(configuration: trial)
        } catch {
            throw TLSFileError.mismatch(certificate: files.certificate, key: files.key)
        }
        return Pair(chain: chain.map { .certificate($0) }, key: .privateKey(key), validity: CertificateValidity(chain))
    }
}

/// An error that makes the listener's certificate or key unusable.
public enum TLSFileError: Error, Equatable, Sendable, CustomStringConvertible {
    case unreadable(String, String)
    case empty(String)
    case mismatch(certificate: String, key: String)
    case notValid(String, String)

    public var description: String {
        switch self {
        case .unreadable(let path, let expected): "\(path): expected \(expected)"
        case .empty(let path): "\(path): expected at least one certificate"
        case .notValid(let path, let problem): "\(path): \(problem)"
        case .mismatch(let certificate, let key): "\(key): expected the private key of \(certificate)"
        }
    }
}
