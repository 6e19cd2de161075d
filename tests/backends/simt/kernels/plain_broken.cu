// Does not compile.
__global__ void broken(int* result) {
  *result = undeclared_name;  // [undeclared]
}
