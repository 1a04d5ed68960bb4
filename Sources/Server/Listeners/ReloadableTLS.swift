import Foundation
import Metrics
import NIOCore
public import NIOSSL
import Synchronization

/// The listener's certificate and key, replaced without closing the listener.
public final class ReloadableTLS: Sendable {
    private let current: Mutex<Pair>

    private struct Pair {
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKeySource
        let validity: CertificateValidity
    }

    /// - Throws: ``TLSFileError`` when a file can not be used.
    public init(_ files: GatefoldConfiguration.TLSFiles) throws {
        current = Mutex(try Self.read(files))
    }

    /// What an operator should know about the certificate's time; nil where all is well.
    ///
    /// An expired certificate is used all the same: with it, clients that do not look at the time are still served.
    func problem(at moment: Date) -> String? { current.withLock(\.validity).problem(at: moment) }

    /// Sets the metric that alerts are made from.
    func measure() {
        Gauge(label: "gatefold_tls_certificate_end_timestamp_seconds")
            .record(current.withLock(\.validity).end.timeIntervalSince1970)
    }

    /// - Throws: ``TLSFileError``, also for a certificate whose time is over or has not begun.
    /// - Returns: what an operator should know about it all the same.
    static func check(_ files: GatefoldConfiguration.TLSFiles, at moment: Date) throws -> String? {
        let validity = try read(files).validity
        let problem = validity.problem(at: moment)
        if let problem, validity.status(at: moment) != .endsSoon {
            throw TLSFileError.notValid(files.certificate, problem)
        }
        return problem.map { "\(files.certificate): \($0)" }
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
        return Pair(chain: chain.map { .certificate($0) }, key: .privateKey(key), validity: CertificateValidity(chain))
    }
}

/// Why the listener's certificate or key can not be used.
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
