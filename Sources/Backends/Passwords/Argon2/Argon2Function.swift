import CArgon2
import Foundation
import SharedLibraries

/// libargon2, loaded when the first hash of Argon2 is checked. The only file that sees it.
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

    /// Computes on the calling thread alone, whatever number of lanes there is, so that the cap on threads holds.
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

/// What a hash of Argon2 costs (RFC 9106 section 3.1).
struct Argon2Parameters: Sendable, Equatable {
    let variant: Argon2Function.Variant
    /// 16 (the first version) or 19.
    let version: Int
    /// In KiB.
    let memory: Int
    let passes: Int
    let lanes: Int

    /// Memory of one check, in KiB: half a gibibyte.
    static let mostMemory = 1 << 19
    /// Memory times passes, in KiB.
    static let mostWork = 1 << 21

    /// Within what libargon2 computes at all.
    var isValid: Bool {
        (version == 16 || version == 19) && passes >= 1 && lanes >= 1 && lanes <= 0xFF_FFFF && memory >= 8 * lanes
    }

    var isAffordable: Bool {
        memory <= Self.mostMemory && passes <= Self.mostWork && memory * passes <= Self.mostWork && lanes <= 64
    }
}
