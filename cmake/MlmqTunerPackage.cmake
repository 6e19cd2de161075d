# SPDX-License-Identifier: Apache-2.0
# The component `tuner` of the package: the libraries and headers below the command `mlmq`, for problems of other
# projects: find_package(mlmq COMPONENTS tuner). Most users do not need it: cmake --install build --component tuner
get_property(targets GLOBAL PROPERTY mlmq_tuner_targets)
set(in_component COMPONENT tuner EXCLUDE_FROM_ALL)
install(TARGETS mlmq_options ${targets} EXPORT mlmqTunerTargets ARCHIVE DESTINATION lib/mlmq-tuner ${in_component})
set_target_properties(mlmq_options PROPERTIES EXPORT_NAME options)
install(EXPORT mlmqTunerTargets NAMESPACE mlmq:: DESTINATION lib/cmake/mlmq ${in_component})
install(FILES cmake/MlmqProblems.cmake cmake/mlmqTuner.cmake DESTINATION lib/cmake/mlmq ${in_component})
install(FILES cli/main.cpp DESTINATION include/mlmq-tuner/cli ${in_component})
install(DIRECTORY base graph db backends tuner problems selector cli DESTINATION include/mlmq-tuner ${in_component}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.cuh")
