import Foundation

/// The program of `deploy/fuzz`: libFuzzer with the target that `GATEFOLD_FUZZ_TARGET` names. Its arguments are those
/// of libFuzzer (<https://llvm.org/docs/LibFuzzer.html>). `--list` prints each target with its maximum input length.
///
/// The target is a variable and not an argument, because libFuzzer restarts the program with the same arguments.
enum FuzzedTarget {
    static let chosen = ProcessInfo.processInfo.environment["GATEFOLD_FUZZ_TARGET"].flatMap(FuzzTarget.named)
}

/// The entry point of libFuzzer's runtime.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ target: @convention(c) (_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt
) -> CInt

if CommandLine.arguments.dropFirst().first == "--list" {
    for target in FuzzTarget.all { print(target.name, target.maxLength) }
    exit(0)
}
guard FuzzedTarget.chosen != nil else {
    print("expected GATEFOLD_FUZZ_TARGET to name a target; see --list")
    exit(64)
}
var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(
    runFuzzer(&count, &arguments) { bytes, count in
        FuzzedTarget.chosen?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
    })
