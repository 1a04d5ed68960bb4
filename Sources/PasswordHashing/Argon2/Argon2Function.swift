import CArgon2
import Foundation
import SharedLibraries

/// The functions of libargon2, which is loaded at the first check of an Argon2 hash. No other file uses the
/// library.
struct Argon2Function: Sendable {
    enum Variant: String, Sendable, CaseIterable { case argon2d, argon2i, argon2id }

    private typealias Context =
        @convention(c) (UnsafeMutablePointer<argon2_context>?, argon2_type) -> CInt

    private let compute: Context

    private init() throws(SharedLibraryError) {
        compute = try SharedLibrary("libargon2.so.1", package: "libargon2-1").function("argon2_ctx")
    }

    private static let loaded: Result<Argon2Function, SharedLibraryError> = {
        do throws(SharedLibraryError) { return .success(try Argon2Function()) } catch { return .failure(error) }
    }()

    /// - Throws: ``PasswordError/libraryMissing(_:)`` with the Debian package to install.
    static func load() throws(PasswordError) -> Argon2Function {
        switch loaded {
        case .success(let function): return function
        case .failure(let error): throw .libraryMissing(error)
        }
    }

    /// Computes a hash on the calling thread only, regardless of the number of lanes, so that the limit on threads
    /// holds.
    func hash(
        _ password: [UInt8], salt: [UInt8], _ parameters: Argon2Parameters, size: Int
    ) throws(PasswordError) -> [UInt8] {
        var (password, salt) = (password, salt)
        var output = [UInt8](repeating: 0, count: size)
        let status = output.withUnsafeMutableBufferPointer { output in
            password.withUnsafeMutableBufferPointer { password in
                salt.withUnsafeMutableBufferPointer { salt in
                    var context = argon2_context()
                    context.out = output.baseAddress
                    context.outlen = UInt32(output.count)
                    context.pwd = password.baseAddress
                    context.pwdlen = UInt32(password.count)
                    context.salt = salt.baseAddress
                    context.saltlen = UInt32(salt.count)
                    context.t_cost = UInt32(parameters.passes)
                    context.m_cost = UInt32(parameters.memory)
                    context.lanes = UInt32(parameters.lanes)
                    context.threads = 1
                    context.version = UInt32(parameters.version)
                    let variant =
                        switch parameters.variant {
                        case .argon2d: Argon2_d
                        case .argon2i: Argon2_i
                        case .argon2id: Argon2_id
                        }
                    return compute(&context, variant)
                }
            }
        }
        password.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
        }
        guard status == ARGON2_OK.rawValue else { throw .hashingFailed }
        return output
    }
}

/// The cost parameters of an Argon2 hash (RFC 9106 section 3.1).
struct Argon2Parameters: Sendable, Equatable {
    let variant: Argon2Function.Variant
    /// The version: 16 (the first version) or 19.
    let version: Int
    /// The memory in KiB.
    let memory: Int
    let passes: Int
    let lanes: Int

    /// The maximum memory of one check in KiB: 512 MiB.
    static let maxMemory = 1 << 19
    /// The maximum product of memory and passes, in KiB.
    static let maxWork = 1 << 21

    /// A Boolean value that indicates whether libargon2 can compute these parameters.
    var isValid: Bool {
        (version == 16 || version == 19) && passes >= 1 && lanes >= 1 && lanes <= 0xFF_FFFF && memory >= 8 * lanes
    }

    var isAffordable: Bool {
        memory <= Self.maxMemory && passes <= Self.maxWork && memory * passes <= Self.maxWork && lanes <= 64
    }
}
